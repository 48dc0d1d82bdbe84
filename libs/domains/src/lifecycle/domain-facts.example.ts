import type { DomainFacts } from './domain-trigger.js';

/** The current time of the examples. */
export const exampleNow = new Date('2026-01-01T00:00:00Z');

/** Facts of a verified domain without a certificate, for tests to vary. */
export const exampleFacts: DomainFacts = {
  name: 'docs.example.com',
  targetHost: 't0k.cname.pets.example',
  state: 'verified',
  misconfigured: false,
  requestedAt: exampleNow,
  generationBeganAt: exampleNow,
  removedAt: null,
  isDangling: false,
  jitter: 0.5,
  failuresInARow: 0,
  verifiedAt: exampleNow,
  dnsIssues: [],
  conflicts: [],
  certificateIssues: [],
  certificate: null,
  ownCertificate: null,
  certificateAlert: null,
  mayRenew: true,
  overdueAfterMs: 1_800_000,
  issuance: { dueAt: null, isUnderWay: false, failuresInARow: 0 },
  dnsDueAt: null,
  checkedAt: null,
  unchangedChecks: 0,
  ordersAt: [],
  delegation: null,
  delegatedAt: null,
  preparedAt: null,
  readyAt: null,
  elsewhereSince: null,
  isClaimedElsewhere: false,
  certificateMethod: null,
  prepareMaxDays: 90,
};
