import { describe, expect, it } from '@jest/globals';
import {
  chooseCertificate,
  coversName,
  nextOwnCertificateStep,
  nextRevocationCheck,
  ownExpiryWarningAt,
  uploadedCertificateIssue,
  type UploadedCertificate,
} from './own-certificate.js';

const DAY_MS = 86_400_000;
const now = new Date('2026-01-01T00:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS);
const life = (days: number, length = 90) => ({ notBefore: inDays(days - length), notAfter: inDays(days) });

describe('names of a certificate cover a domain', () => {
  it.each([
    [['docs.example.com'], 'docs.example.com', true],
    [['DOCS.example.com'], 'docs.example.com', true],
    [['*.example.com'], 'docs.example.com', true],
    [['*.example.com'], 'a.docs.example.com', false],
    [['*.example.com'], 'example.com', false],
    [['example.com'], 'docs.example.com', false],
    [['d*.example.com'], 'docs.example.com', false],
    [['*'], 'docs.example.com', false],
    [['*.example.com'], '*.example.com', true],
    [['*.com', 'docs.example.com'], '*.example.com', false],
    [[], 'docs.example.com', false],
  ])('%j of %s: %s', (names, name, isCovered) => {
    expect(coversName(names, name)).toBe(isCovered);
  });
});

describe('visitors get', () => {
  const preferred = (days: number) => ({ ...life(days), isPreferred: true });
  const other = (days: number) => ({ ...life(days), isPreferred: false });
  it.each([
    ['none', null, null, null],
    ['the automatic one alone', null, life(9), 'automatic'],
    ['the own one alone, preferred or not', other(9), null, 'own'],
    ['the preferred own one', preferred(9), life(60), 'own'],
    ['the preferred automatic one', other(60), life(9), 'automatic'],
    ['the automatic one after the end of the own one', preferred(0), life(60), 'automatic'],
    ['the own one after the end of the automatic one', other(9), life(-1), 'own'],
    ['the preferred one when the other one ends now', preferred(-1), life(0), 'own'],
    ['the preferred one after the end of both', preferred(-1), life(-2), 'own'],
  ] as const)('%s', (_title, own, automatic, source) => {
    expect(chooseCertificate(own, automatic, now)).toBe(source);
  });
});

describe('an own certificate', () => {
  it('is announced with a tenth of its life left, at most 30 days', () => {
    expect(ownExpiryWarningAt(life(90))).toEqual(inDays(81));
    expect(ownExpiryWarningAt(life(3_650, 3_650))).toEqual(inDays(3_620));
  });

  it.each<[string, number, number | null, ReturnType<typeof nextOwnCertificateStep>]>([
    ['stays until its warning', 50, 60, { kind: 'stays', nextAt: inDays(41) }],
    ['stays until the fallback', 5, 60, { kind: 'stays', nextAt: inDays(5 - 1 / 24) }],
    ['ends an hour early with a fallback', 1 / 25, 60, { kind: 'ends', hasFallback: true }],
    ['ends an hour before its end with a fallback', 1 / 24, 60, { kind: 'ends', hasFallback: true }],
    ['stays until the fallback after its warning', 9, 60, { kind: 'stays', nextAt: inDays(9 - 1 / 24) }],
    ['stays to its end with one that ends with it', 1 / 25, 1 / 25, { kind: 'stays', nextAt: inDays(1 / 25) }],
    ['stays to its end without one', 1 / 25, null, { kind: 'stays', nextAt: inDays(1 / 25) }],
    ['stays to its end with one that ends before', 1 / 25, 1 / 48, { kind: 'stays', nextAt: inDays(1 / 25) }],
    ['ends without a fallback', 0, null, { kind: 'ends', hasFallback: false }],
  ])('%s', (_title, left, automatic, step) => {
    expect(nextOwnCertificateStep(life(left), automatic === null ? null : life(automatic), now)).toEqual(step);
  });

  it('has an issue once it is not served any more', () => {
    const uploaded: UploadedCertificate = {
      ...life(50),
      ...{ isPreferred: true, trust: 'public', issuer: 'CA', endedAt: null, checkDetail: null, state: 'active' },
    };
    const codeOf = (state: UploadedCertificate['state']) =>
      uploadedCertificateIssue('docs.example.com', { ...uploaded, state })?.code;
    expect((['checking', 'active', 'expired', 'revoked'] as const).map(codeOf)).toEqual([
      undefined,
      undefined,
      'own_certificate_expired',
      'own_certificate_revoked',
    ]);
    const evidenceOf = (changes: Partial<UploadedCertificate>) =>
      uploadedCertificateIssue('docs.example.com', { ...uploaded, ...changes })?.evidence;
    const name = 'docs.example.com';
    expect(evidenceOf({ state: 'expired' })).toEqual({ name, until: inDays(50).toISOString() });
    expect(evidenceOf({ state: 'revoked' })).toEqual({ name, issuer: 'CA' });
    expect(evidenceOf({ state: 'revoked', checkDetail: 'yesterday' })).toEqual({
      name,
      issuer: 'CA',
      detail: 'yesterday',
    });
  });

  it('is checked for revocation daily, and within six hours after a failure', () => {
    expect([0, 1].map((jitter) => nextRevocationCheck('good', 0, jitter, now))).toEqual([inDays(0.75), inDays(1)]);
    const pauses = [0, 1, 2, 3, 1_000].map((failures) => nextRevocationCheck('unknown', failures, 1, now));
    expect(pauses).toEqual([inDays(0.25), inDays(0.5), inDays(1), inDays(1), inDays(1)]);
  });
});
