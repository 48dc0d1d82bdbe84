import { expect, it } from '@jest/globals';
import { nextPage } from './next-page.js';

it('leads on from a page that has a next one', () => {
  const response = new Response('[]', { headers: { link: '</v1/pets?limit=2&cursor=aB-1_>; rel="next"' } });
  expect(nextPage('pets pets list', response)).toEqual([
    { command: 'pets pets list --cursor aB-1_', when: 'for the next page' },
  ]);
});

it.each([undefined, '</v1/pets>; rel="successor-version"'])('leads nowhere from a page with the Link %s', (link) => {
  expect(nextPage('pets pets list', new Response('[]', { headers: { ...(link && { link }) } }))).toEqual([]);
});
