import type { CaFacts, CaRecord, CertificateSubject, OrderAccount } from '../src/certificates/ca-selection.js';
import type { CaLimit } from '../src/certificates/ca-limits.js';
import type { UsableAccount } from '../src/certificates/usable-accounts.js';

/** Two CAs, their accounts and some domains, for the tests of orders. */

const HOUR_MS = 3_600_000;
export const now = new Date('2026-03-01T12:00:00Z');
export const inHours = (hours: number) => new Date(now.getTime() + hours * HOUR_MS);

const limits: readonly CaLimit[] = [
  { kind: 'registered_domain', max: 2, windowMs: 100 * HOUR_MS },
  { kind: 'exact_set', max: 2, windowMs: 100 * HOUR_MS },
  { kind: 'failures', max: 2, windowMs: 100 * HOUR_MS },
  { kind: 'orders', max: 10, windowMs: 10 * HOUR_MS },
];

export const main: UsableAccount = {
  directoryUrl: 'https://main.test/dir',
  account: 'default',
  share: 1,
  limits,
  thumbprint: null,
};
/** Another account at the same CA, which a first order does not prefer. */
export const second: UsableAccount = { ...main, account: 'second', share: 1e-9, thumbprint: 'T'.repeat(43) };
/** Takes over when the others cannot be used. */
export const backup: UsableAccount = { ...main, directoryUrl: 'https://backup.test/dir', share: 0, limits: [] };

export const docs: CertificateSubject = { domainId: 'd1', name: 'docs.example.com', apexName: 'example.com' };
export const shop: CertificateSubject = { domainId: 'd2', name: 'shop.example.com', apexName: 'example.com' };
export const elsewhere: CertificateSubject = { domainId: 'd3', name: 'docs.example.net', apexName: 'example.net' };

/** The newest certificate of a domain: from an account, with 80 of 90 days left. */
export const issuedBy = ({ directoryUrl, account }: UsableAccount) => ({
  directoryUrl,
  account,
  identifier: 'aki.serial',
  notBefore: inHours(-10 * 24),
  notAfter: inHours(80 * 24),
});

export const recordAt = (
  { directoryUrl, account }: UsableAccount,
  changes: Partial<CaRecord> = {},
  { domainId } = docs,
): CaRecord => ({
  domainId,
  directoryUrl,
  account,
  failures: 0,
  refusals: 0,
  retryAt: null,
  isReplacementDoubtful: false,
  ...changes,
});

/** An account with so many free slots, of which nine are free at once and one is refilled each hour. */
export const slotsOf = (free: number, changes: Partial<OrderAccount> = {}): OrderAccount => ({
  limit: { kind: 'orders', max: 10, windowMs: 10 * HOUR_MS },
  fullAt: inHours(9 - free),
  given: 0,
  givenTo: new Set(),
  waiting: 0,
  ...changes,
});

/** No attempts, no certificates, no pauses. */
export const caFacts = (changes: Partial<CaFacts> = {}): CaFacts => ({
  accounts: [main, backup],
  newest: new Map(),
  records: [],
  renewals: new Set(),
  usage: new Map(),
  slots: new Map(),
  inherited: new Set(),
  pauses: { ofAccount: () => null, ofApex: () => null },
  now,
  ...changes,
});
