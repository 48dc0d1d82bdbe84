import { describe, expect, it } from '@jest/globals';
import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts';
import { addHsts } from './compile-routes.js';

const route = (certificateId: string): EdgeRoute => ({
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId,
});
const routes = new Map([
  ['acme.pets.example', route(PLATFORM_CERTIFICATE)],
  ['example.com', route('c1')],
]);
const headers = (...settings: Parameters<typeof addHsts>) => [...addHsts(...settings).values()].map(({ hsts }) => hsts);

describe('addHsts', () => {
  it('changes nothing where it is not configured', () => expect(addHsts(routes, null)).toBe(routes));

  it.each([
    [{ maxAge: 300, includeSubDomains: false, preload: false }, ['max-age=300', 'max-age=300']],
    [{ maxAge: 0, includeSubDomains: true, preload: false }, ['max-age=0', 'max-age=0; includeSubDomains']],
    [
      { maxAge: 31_536_000, includeSubDomains: true, preload: true },
      ['max-age=31536000', 'max-age=31536000; includeSubDomains; preload'],
    ],
  ])('%j: the full header for the owner’s domain, only max-age for the platform host', (hsts, expected) => {
    expect(headers(routes, hsts)).toEqual(expected);
  });
});
