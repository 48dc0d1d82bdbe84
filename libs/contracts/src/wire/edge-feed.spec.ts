import { describe, expect, it } from '@jest/globals';
import { chooseEdgeFeedProtocol, edgeRouteSchema, isWildcard, wildcardOf } from './edge-feed.js';

describe('chooseEdgeFeedProtocol', () => {
  const supported = { oldest: 2, newest: 4 };

  it.each([
    ['an edge of the same release', 4, 4],
    ['an edge of an earlier release', 3, 3],
    ['the oldest supported edge', 2, 2],
    ['an edge of a later release', 5, 4],
    ['an edge that is too old', 1, null],
  ])('answers %s', (_name, asked, spoken) => expect(chooseEdgeFeedProtocol(asked, supported)).toBe(spoken));

  it('supports the edges of the release before, which send no protocol', () =>
    expect(chooseEdgeFeedProtocol(1)).toBe(1));
});

it.each([
  ['a.example.com', '*.example.com'],
  ['a.b.example.com', '*.b.example.com'],
  ['example.com', '*.com'],
  ['*.example.com', undefined],
  ['localhost', undefined],
  ['localhost.', undefined],
  ['.example.com', undefined],
  ['', undefined],
])('%s is covered by %s', (host, wildcard) => expect(wildcardOf(host)).toBe(wildcard));

it.each([
  ['*.example.com', true],
  ['a.example.com', false],
  ['*', false],
])('knows whether %s is a wildcard', (host, expected) => expect(isWildcard(host)).toBe(expected));

it.each([
  ['an excluded host', { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null }],
  [
    'an exact host that waits for its certificate',
    { answersChallenges: true, serve: null, certificateId: null, wildcardUntilCertified: true },
  ],
])('keeps the route of %s', (_name, route) => expect(edgeRouteSchema.parse(route)).toEqual(route));
