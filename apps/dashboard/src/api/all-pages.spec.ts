import { expect, it } from '@jest/globals';
import { allPages } from './all-pages.js';

it('a complete list is read page after page', async () => {
  const asked: object[] = [];
  const pages = [
    { data: [1, 2], link: '<https://api.example/v1/projects?cursor=a>; rel="next"' },
    { data: [3], link: '</v1/projects?limit=2&cursor=b>; rel="next"' },
    { data: [4], link: null },
  ];
  const items = await allPages(async (query) => {
    const { data, link } = pages[asked.length] ?? { data: [], link: null };
    asked.push(query);
    return { data, response: new Response(null, link === null ? {} : { headers: { link } }) };
  });
  expect(items).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual([{}, { cursor: 'a' }, { cursor: 'b' }]);
});
