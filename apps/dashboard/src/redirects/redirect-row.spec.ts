import { expect, it } from '@jest/globals';
import { involvedNames, previewVisit } from './redirect-row.js';

const redirects = [
  { from: 'www', to: 'docs', status: 301 },
  { from: 'old', to: 'www', status: 308 },
  { from: 'a', to: 'b', status: 302 },
  { from: 'b', to: 'a', status: 302 },
  { from: 'self', to: 'self', status: 301 },
];

it.each([
  ['a name without a redirect', 'docs', [], 'site'],
  ['one redirect', 'www', ['301 docs'], 'site'],
  ['a chain', 'old', ['308 www', '301 docs'], 'site'],
  ['a loop', 'a', ['302 b', '302 a'], 'loop'],
  ['a redirect to itself', 'self', ['301 self'], 'loop'],
])('a visitor of %s', (_name, from, hops, end) => {
  const visit = previewVisit(from, redirects);
  expect(visit.hops.map(({ status, to }) => `${status} ${to}`)).toEqual(hops);
  expect(visit.end).toBe(end);
});

it('the names of redirects are each drawn once', () => {
  expect(involvedNames(redirects)).toEqual(['www', 'docs', 'old', 'a', 'b', 'self']);
});
