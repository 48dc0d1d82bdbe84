import type { CaFacts, CaRecord, CaSlots, CertificateSubject } from '../src/certificates/ca-selection.js';
import type { CaLimit, ConfiguredCa } from '../src/certificates/ca-limits.js';

/** Two CAs and some domains, for the tests of orders. */

const HOUR_MS = 3_600_000;
export const now = new Date('2026-03-01T12:00:00Z');
export const inHours = (hours: number) => new Date(now.getTime() + hours * HOUR_MS);

const limits: readonly CaLimit[] = [
  { kind: 'registered_domain', max: 2, windowMs: 100 * HOUR_MS },
  { kind: 'exact_set', max: 2, windowMs: 100 * HOUR_MS },
  { kind: 'failures', max: 2, windowMs: 100 * HOUR_MS },
  { kind: 'orders', max: 10, windowMs: 10 * HOUR_MS },
];

export const main: ConfiguredCa = { directoryUrl: 'https://main.test/dir', limits };
/** Takes over when the first cannot be used. */
export const backup: ConfiguredCa = { directoryUrl: 'https://backup.test/dir', limits: [] };

/** Thumbprint of the key that orders now. */
const accountThumbprint = 'T'.repeat(43);

export const docs: CertificateSubject = { domainId: 'd1', name: 'docs.example.com', apexName: 'example.com' };
export const shop: CertificateSubject = { domainId: 'd2', name: 'shop.example.com', apexName: 'example.com' };
export const elsewhere: CertificateSubject = { domainId: 'd3', name: 'docs.example.net', apexName: 'example.net' };

/** The newest certificate of a domain: from a CA, with 80 of 90 days left. */
export const issuedBy = ({ directoryUrl }: ConfiguredCa) => ({
  directoryUrl,
  accountThumbprint,
  identifier: 'aki.serial',
  notBefore: inHours(-10 * 24),
  notAfter: inHours(80 * 24),
});

export const recordAt = (
  { directoryUrl }: ConfiguredCa,
  changes: Partial<CaRecord> = {},
  { domainId } = docs,
): CaRecord => ({
  domainId,
  directoryUrl,
  failures: 0,
  retryAt: null,
  isReplacementDoubtful: false,
  ...changes,
});

/** A CA with so many free slots, of which nine are free at once and one is refilled each hour. */
export const slotsOf = (free: number, changes: Partial<CaSlots> = {}): CaSlots => ({
  limit: { kind: 'orders', max: 10, windowMs: 10 * HOUR_MS },
  fullAt: inHours(9 - free),
  given: 0,
  givenTo: new Set(),
  waiting: 0,
  ...changes,
});

/** No attempts, no certificates, no pauses. */
export const caFacts = (changes: Partial<CaFacts> = {}): CaFacts => ({
  cas: [main, backup],
  accountThumbprint,
  newest: new Map(),
  records: [],
  renewals: new Set(),
  usage: new Map(),
  slots: new Map(),
  admitted: new Map(),
  inherited: new Set(),
  pauses: { ofAccount: () => null, ofApex: () => null },
  now,
  ...changes,
});
