import { describe, expect, it } from '@jest/globals';
import type { DnsServer } from '@pets/dns';
import { expectedDns } from '@pets/testing';
import { isReachable, tryChallengePath } from './challenge-handlers.js';

const expected = expectedDns({ name: 'docs.acme.example' });
const path = { port: 1, thumbprint: 't' };

function serverOf(addresses: Record<string, string>): DnsServer {
  return {
    query: async (name, type) => {
      const value = type === 'A' ? addresses[name] : undefined;
      const answer =
        value === undefined ? { kind: 'absent' as const } : { kind: 'found' as const, records: [{ value, ttl: 1 }] };
      return { name, type, server: '192.0.2.1:53', answer };
    },
  };
}

describe('tryChallengePath', () => {
  it('sends no request to an address that is not one of our target', async () => {
    const server = serverOf({ 'docs.acme.example': '192.0.2.80', 't1.cname.pets.example': '192.0.2.81' });
    expect(await tryChallengePath([server], expected, path, AbortSignal.timeout(100))).toEqual([
      { address: '192.0.2.80', error: 'is not an address of t1.cname.pets.example' },
    ]);
  });

  it('uses the addresses of our target if the zone’s servers show that the name leads there', async () => {
    const server = serverOf({ 'docs.acme.example': '192.0.2.80', 't1.cname.pets.example': '127.0.0.1' });
    const shown = { ...path, isShownByZone: true };
    expect(await tryChallengePath([server], expected, shown, AbortSignal.timeout(2_000))).toMatchObject([
      { address: '127.0.0.1', error: 'ECONNREFUSED' },
    ]);
  });

  it('reports a name without addresses', async () => {
    expect(await tryChallengePath([serverOf({})], expected, path, AbortSignal.timeout(100))).toEqual([
      { address: 'docs.acme.example', error: 'no address found' },
    ]);
  });
});

describe('isReachable', () => {
  it.each([
    ['every address answered', [null, null], true],
    ['one gave a wrong answer', [null, 'answered with status 404'], false],
    ['one cannot be reached from this machine', [null, 'ENETUNREACH'], true],
    ['none could be tried', ['ENETUNREACH'], false],
    ['there was none', [], false],
  ])('when %s', (_case, errors, verdict) => {
    expect(isReachable(errors.map((error) => ({ address: '192.0.2.1', error })))).toBe(verdict);
  });
});
