import { describe, expect, it } from '@jest/globals';
import { readRefusal } from './refusal-scope.js';

const now = new Date('2026-03-01T12:00:00Z');
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const sub = { name: 'docs.example.com', apexName: 'example.com' };
const wildcard = { name: '*.example.com', apexName: 'example.com' };
const apex = { name: 'example.com', apexName: 'example.com' };
const read = (detail: string, names = sub, retryAt: Date | null = inMinutes(20)) =>
  readRefusal({ detail, retryAt: retryAt?.toISOString() ?? null }, names, now);

describe('a refusal of a CA that limits the rate', () => {
  it.each([
    ['too many new orders (300) from this account in the last 3h0m0s, retry after 2026-03-01', sub, 'account'],
    ['Rate limit exceeded', apex, 'account'],
    ['too many certificates (50) already issued for "example.com" in the last 168h0m0s', sub, 'registered_domain'],
    ['too many certificates (50) already issued for "example.com" in the last 168h0m0s', apex, 'registered_domain'],
    ['too many certificates (50) already issued for "Example.COM".', sub, 'registered_domain'],
    ['too many certificates (5) already issued for this exact set of identifiers in the last 168h0m0s', sub, 'name'],
    ['too many failed authorizations (5) for "docs.example.com" in the last 1h0m0s', sub, 'name'],
    ['too many failed authorizations (5) for "example.com" in the last 1h0m0s', apex, 'name'],
    ['too many failed authorizations (5) for "example.com" in the last 1h0m0s', wildcard, 'name'],
    ['too many certificates (50) already issued for "example.com" in the last 168h0m0s', wildcard, 'registered_domain'],
    ['too many failed authorizations (5) for "example.com" in the last 1h0m0s', sub, 'registered_domain'],
    ['there are too many certificates for example.com.', sub, 'registered_domain'],
    ['the name *.example.com is not allowed yet', wildcard, 'name'],
    ['see https://ca.example.com/limits', sub, 'account'],
    ['the name notexample.com is at its limit', sub, 'account'],
  ] as const)('%s (%j): %s', (detail, names, by) => expect(read(detail, names).by).toBe(by));

  it('of an account ends after three hours, or after a minute if the CA names no time', () => {
    expect(read('of the account').until).toEqual(inMinutes(20));
    expect(read('of the account', sub, inMinutes(600)).until).toEqual(inMinutes(180));
    expect(read('of the account', sub, null).until).toEqual(inMinutes(1));
    expect(read('certificates for example.com', sub, inMinutes(600)).until).toEqual(inMinutes(600));
  });
});
