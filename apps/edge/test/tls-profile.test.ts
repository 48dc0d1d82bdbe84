import { getCiphers } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeOffer, takenOf, type Offer } from './client-hello.js';
import { platformRoute, siteRoute, EdgeFixture } from './edge-fixture.js';

/** Compares the TLS port with Mozilla's profile "intermediate" (guidelines 6.0). */
let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge({ EDGE_HANDSHAKES_PER_ADDRESS: '0' });
  await fixture.issue('ecdsa', 'ecdsa.test');
  await fixture.issue('rsa', 'rsa.test', 'rsa');
  await fixture.api.publishAndSettle({
    'ecdsa.test': siteRoute('ecdsa'),
    'rsa.test': siteRoute('rsa'),
    'acme.pets.test': platformRoute,
  });
});
afterAll(() => fixture.tearDown());

/** All suites of the IANA registry are in these ranges, whichever OpenSSL knows of them. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const everySuite = [
  ...range(0x0000, 0x00ff),
  ...range(0x1301, 0x1307),
  ...range(0xc001, 0xc0ff),
  ...range(0xc100, 0xc107),
  ...range(0xcca8, 0xccae),
  ...range(0xd001, 0xd005),
].filter((suite) => suite !== 0x00ff); // which says something else (RFC 5746)
/** Curves, finite fields, and the hybrids of RFC 9370's kind. */
const everyGroup = [...range(1, 41), ...range(0x0100, 0x0104), ...range(0x0200, 0x0202), ...range(0x11eb, 0x11ed)];

const X25519MLKEM768 = 0x11ec;
const groups = [0x0017, 0x0018, 0x001d, X25519MLKEM768]; // P-256, P-384, X25519
const tls13 = [0x1301, 0x1302, 0x1303]; // AES-128-GCM, AES-256-GCM, ChaCha20-Poly1305
const ecdheEcdsa = [0xc02b, 0xc02c, 0xcca9]; // likewise
const ecdheRsa = [0xc02f, 0xc030, 0xcca8];

const offer = (servername: string, version: Offer['version']): Offer => ({
  ...{ servername, version },
  suites: everySuite,
  groups: everyGroup,
});
const port = () => fixture.edge.ports().https;

describe.each(['ecdsa.test', 'rsa.test', 'acme.pets.test'])('%s', (servername) => {
  it('offers these suites of TLS 1.2, and no others', async () => {
    const expected = servername === 'rsa.test' ? ecdheRsa : ecdheEcdsa;
    expect(await takenOf(port(), offer(servername, 'TLSv1.2'), 'suites')).toEqual(expected);
  });

  it('offers these suites and groups of TLS 1.3, and no others', async () => {
    expect(await takenOf(port(), offer(servername, 'TLSv1.3'), 'suites')).toEqual(tls13);
    expect(await takenOf(port(), offer(servername, 'TLSv1.3'), 'groups')).toEqual(groups);
  });

  it('takes the group that the client prefers, as those that withstand quantum computers are', async () => {
    const preferring = { ...offer(servername, 'TLSv1.3'), groups: [X25519MLKEM768, ...everyGroup] };
    expect((await makeOffer(port(), preferring))?.group).toBe(X25519MLKEM768);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('offers no %s', async (version) => {
    expect(await makeOffer(port(), offer(servername, version))).toBeUndefined();
  });

  it('lets the client choose: one without AES in hardware takes ChaCha20', async () => {
    const reversed = { ...offer(servername, 'TLSv1.3'), suites: tls13.toReversed() };
    expect((await makeOffer(port(), reversed))?.suite).toBe(0x1303);
  });
});

it.each(everyGroup)('group %d is taken for TLS 1.2 only if it is in the profile', async (group) => {
  // With RSA: a client without the curve of an ECDSA certificate cannot have it, whatever else it offers.
  const choice = await makeOffer(port(), { ...offer('rsa.test', 'TLSv1.2'), groups: [group] });
  const isOffered = groups.includes(group) && group !== X25519MLKEM768; // which is of TLS 1.3 alone
  expect(choice !== undefined).toBe(isOffered);
});

describe("with OpenSSL's own client", () => {
  it.each(getCiphers().map((name) => name.toUpperCase()))('%s is served only if it is in the profile', async (name) => {
    const isOfTls13 = name.startsWith('TLS_');
    const version = isOfTls13 ? 'TLSv1.3' : 'TLSv1.2';
    const options = {
      ciphers: isOfTls13 ? name : `${name}:@SECLEVEL=0`,
      minVersion: version,
      maxVersion: version,
    } as const;
    const names = await Promise.all(
      ['ecdsa.test', 'rsa.test'].map(async (servername) => {
        try {
          const socket = await fixture.visitor.handshake(servername, options);
          const { standardName } = socket.getCipher();
          socket.destroy();
          return [standardName];
        } catch {
          return [];
        }
      }),
    );
    const profile =
      /^TLS_(AES_(128_GCM_SHA256|256_GCM_SHA384)|CHACHA20_POLY1305_SHA256)$|^ECDHE-(ECDSA|RSA)-(AES128-GCM-SHA256|AES256-GCM-SHA384|CHACHA20-POLY1305)$/;
    const servedBy = isOfTls13 ? 2 : 1;
    expect(names.flat()).toHaveLength(profile.test(name) ? servedBy : 0);
  });
});
