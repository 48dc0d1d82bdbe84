import { describe, expect, it } from '@jest/globals';
import { findChainFault, findLeafFault, type ChainLink } from './evaluate-chain.js';

const name = 'docs.example.com';
const now = new Date('2026-05-01T00:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const at = (ms: number) => new Date(now.getTime() + ms);
const days = (count: number) => at(count * 24 * HOUR_MS);

const leaf: ChainLink = {
  subject: name,
  issuer: 'Issuing CA',
  isSelfIssued: false,
  names: ['www.example.com', name],
  signatureHash: 'SHA-256',
  isSignedByNext: true,
  isCa: false,
  maxBelow: null,
  allows: { certificates: false, signatures: true, servers: true },
  requiresStapling: false,
  notBefore: days(-1),
  notAfter: days(90),
};
const ca: ChainLink = {
  ...leaf,
  subject: 'Issuing CA',
  issuer: 'Root',
  names: [],
  isCa: true,
  maxBelow: 0,
  allows: { certificates: true, signatures: false, servers: false },
};
const root: ChainLink = { ...ca, subject: 'Root', isSelfIssued: true, isSignedByNext: false, maxBelow: null };
const last = { ...ca, isSignedByNext: false };

interface Conditions {
  readonly of: string;
  readonly isTrusted: boolean;
}

const faultOf = (chain: readonly ChainLink[], { of = name, isTrusted = true }: Partial<Conditions> = {}) => {
  const fault = findLeafFault(chain, of) ?? findChainFault(chain, { now, isTrusted });
  return fault === null ? 'none' : `${fault.code}: ${fault.message}`;
};

describe('a chain', () => {
  it.each<[string, readonly ChainLink[]]>([
    ['of the leaf alone', [leaf]],
    ['with its issuer', [leaf, last]],
    ['with its root', [leaf, ca, root]],
    [
      'of SHA-384 and SHA-512',
      [
        { ...leaf, signatureHash: 'SHA-384' },
        { ...last, signatureHash: 'SHA-512' },
      ],
    ],
    ['whose root is signed with SHA-1', [leaf, ca, { ...root, signatureHash: 'SHA-1' }]],
    ['with 250 names', [{ ...leaf, names: [...Array.from({ length: 249 }, (_, i) => `n${i}.test`), name] }]],
    ['that begins within the tolerance', [{ ...leaf, notBefore: at(5 * MINUTE_MS) }]],
    ['that ends in exactly a day', [{ ...leaf, notAfter: days(1) }]],
    ['whose second CA allows one below it', [leaf, ca, { ...root, maxBelow: 1 }]],
  ])('%s is accepted', (_title, chain) => {
    expect(faultOf(chain)).toBe('none');
  });

  it.each<[string, readonly ChainLink[], string]>([
    ['is empty', [], 'invalid_certificate: contains no certificate.'],
    [
      'is signed with a weak hash',
      [{ ...leaf, signatureHash: 'SHA-1' }],
      'invalid_certificate: certificate 1 is signed with SHA-1, which browsers do not accept.',
    ],
    [
      'has a self-issued leaf with a weak hash',
      [{ ...leaf, isSelfIssued: true, signatureHash: 'MD5' }],
      'invalid_certificate: certificate 1 is signed with MD5, which browsers do not accept.',
    ],
    [
      'has an issuer with a weak hash',
      [leaf, { ...last, signatureHash: 'SHA-1' }],
      'invalid_certificate: certificate 2 is signed with SHA-1, which browsers do not accept.',
    ],
    [
      'begins with a CA',
      [{ ...leaf, isCa: true }],
      'invalid_certificate: certificate 1 is the certificate of a CA. Send that of the domain first.',
    ],
    [
      'has too many names',
      [{ ...leaf, names: Array.from({ length: 251 }, () => name) }],
      'invalid_certificate: certificate 1 has 251 names; at most 250 are accepted.',
    ],
    [
      'has no name',
      [{ ...leaf, names: [] }],
      'certificate_name_mismatch: has no subject alternative name, not for docs.example.com.',
    ],
    [
      'is for other names',
      [{ ...leaf, names: ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test', 'g.test'] }],
      'certificate_name_mismatch: is for a.test, b.test, c.test, d.test, e.test and 2 more, not for docs.example.com.',
    ],
    [
      'is for five other names',
      [{ ...leaf, names: ['a.test', 'b.test', 'c.test', 'd.test', 'x'.repeat(300)] }],
      `certificate_name_mismatch: is for a.test, b.test, c.test, d.test, ${'x'.repeat(253)}, not for docs.example.com.`,
    ],
    [
      'needs a stapled response',
      [{ ...leaf, requiresStapling: true }],
      'invalid_certificate: certificate 1 requires a stapled OCSP response (must-staple), which we do not send.',
    ],
    [
      'is not for servers',
      [{ ...leaf, allows: { ...leaf.allows, servers: false } }],
      'invalid_certificate: certificate 1 is not for TLS servers (extended key usage serverAuth).',
    ],
    [
      'may not sign',
      [{ ...leaf, allows: { ...leaf.allows, signatures: false } }],
      'invalid_certificate: certificate 1 does not allow signatures (key usage digitalSignature).',
    ],
    [
      'ends now',
      [{ ...leaf, notAfter: now }],
      'certificate_expired: certificate 1 expired at 2026-05-01T00:00:00.000Z.',
    ],
    [
      'begins later',
      [{ ...leaf, notBefore: at(5 * MINUTE_MS + 1) }],
      'certificate_expired: certificate 1 is not valid before 2026-05-01T00:05:00.001Z.',
    ],
    [
      'has an issuer that ends within a day',
      [leaf, { ...last, notAfter: at(24 * HOUR_MS - 1) }],
      'certificate_expired: certificate 2 expires at 2026-05-01T23:59:59.999Z, within a day.',
    ],
    [
      'is out of order',
      [{ ...leaf, isSignedByNext: false }, last],
      'invalid_certificate: certificate 1 is not signed by certificate 2. Send the chain in order, the leaf first.',
    ],
    [
      'has an issuer that is no CA',
      [leaf, { ...last, isCa: false }],
      'invalid_certificate: certificate 2 is not that of a CA.',
    ],
    [
      'has an issuer that may not sign certificates',
      [leaf, { ...last, allows: { ...ca.allows, certificates: false } }],
      'invalid_certificate: certificate 2 is not that of a CA.',
    ],
    [
      'is too long for one of its CAs',
      [leaf, ca, { ...root, maxBelow: 0 }],
      'invalid_certificate: certificate 3 may not have so many certificates below it.',
    ],
  ])('that %s is refused', (_title, chain, fault) => {
    expect(faultOf(chain)).toBe(fault);
  });

  it('that lacks an issuer names it', () => {
    expect(faultOf([leaf, last], { isTrusted: false })).toBe(
      'certificate_untrusted: the chain lacks the certificate of "Root", which signed certificate 2. Add it, or send ' +
        '"trust": "private" if your visitors trust another root.',
    );
  });

  it('that ends with an unknown root names it', () => {
    expect(faultOf([leaf, ca, root], { isTrusted: false })).toBe(
      'certificate_untrusted: the chain ends with "Root", which browsers do not trust. If your visitors do, send "trust": "private".',
    );
  });

  it('for an internationalized name shows it in Unicode', () => {
    expect(faultOf([leaf], { of: 'xn--bcher-kva.example' })).toMatch(/not for bücher\.example/);
  });
});
