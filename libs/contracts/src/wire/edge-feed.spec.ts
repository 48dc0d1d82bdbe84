import { expect, it } from '@jest/globals';
import { edgeRouteSchema, isWildcard, wildcardOf } from './edge-feed.js';

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
