import type { CaaVerdict, DomainIssue, DomainState } from '@pets/contracts';
import type { ClassifiedFailure } from '../certificates/classify-failure.js';
import type { DnsVerdict } from '../dns/judge-dns.js';
import { describeIssue } from '../issues.js';
import type { DomainFacts, DomainTrigger, OwnershipFacts, Transition } from './domain-trigger.js';
import { nextDriftCheck, nextLadderStep, nextPoll, nextProbe } from './schedules.js';

/**
 * The life of a domain. Everything that happens to one, a click or a fact from the worker, goes through `transition`,
 * which says what becomes of it: pure, so that the whole behaviour is in tables. Applying the outcome is the caller's.
 */

/** A live domain is shown as misconfigured after this many checks in a row that no longer match: one may be a hiccup. */
const MISSES_TO_MISCONFIGURED = 3;

/** Every change of state there is. What is not listed does not happen. */
const nextStates = {
  awaiting_dns: { 'dns.matched': 'verified', 'owner.removed': 'removed' },
  verified: { 'certificate.served': 'live', 'owner.removed': 'removed' },
  live: { 'owner.removed': 'removed' },
  removed: {},
} as const satisfies Record<DomainState, Partial<Record<string, DomainState>>>;

export type StateTrigger = 'dns.matched' | 'certificate.served' | 'owner.removed';

/** The state a trigger leads to, or undefined when it changes none. */
export function nextState(state: DomainState, trigger: StateTrigger): DomainState | undefined {
  const moves: Partial<Record<StateTrigger, DomainState>> = nextStates[state];
  return moves[trigger];
}

/** What becomes of a domain; null when the trigger means nothing to it any more, as anything after removal. */
export function transition(domain: DomainFacts, trigger: DomainTrigger, now: Date): Transition | null {
  if (domain.state === 'removed') return null;
  switch (trigger.type) {
    case 'owner.verify':
      return { ...unchanged(domain), work: { dns: { dueAt: now } } };
    case 'owner.reverify':
      return {
        ...unchanged(domain),
        startsGeneration: true,
        work: {
          reverify: { dueAt: now },
          issuance: { dueAt: null },
        },
        history: 're-verify: DNS and CAA are checked again, then a fresh certificate attempt',
      };
    case 'owner.removed':
      return removed(domain);
    case 'dns.checked':
      return domain.state === 'awaiting_dns'
        ? afterFirstChecks(domain, trigger, now)
        : afterDriftCheck(domain, trigger.dns, now);
    case 'domain.reverified':
      return domain.state === 'verified' ? afterReverify(domain, trigger, now) : null;
    case 'certificate.issued':
      return {
        ...unchanged(domain),
        work: { issuance: { dueAt: trigger.renewAt, failuresInARow: 0 }, probe: { dueAt: now, failuresInARow: 0 } },
        issues: { certificate: [] },
        history: domain.state === 'live' ? 'certificate renewed' : 'certificate issued',
      };
    case 'certificate.failed':
      return afterFailure(domain, trigger, now);
    case 'certificate.served':
      return afterServed(domain);
    case 'certificate.not_served':
      return {
        ...unchanged(domain),
        work: { probe: { dueAt: nextProbe(domain.failuresInARow, now), failuresInARow: domain.failuresInARow + 1 } },
        issues:
          domain.state === 'verified' ? { certificate: [describeIssue('not_served_yet', { seen: trigger.seen })] } : {},
      };
  }
}

function unchanged(domain: DomainFacts): Transition {
  return {
    state: domain.state,
    misconfigured: domain.misconfigured,
    startsGeneration: false,
    work: {},
    issues: {},
    history: null,
  };
}

function removed(domain: DomainFacts): Transition {
  const stopped = { dueAt: null, failuresInARow: 0 };
  return {
    ...unchanged(domain),
    state: nextState(domain.state, 'owner.removed') ?? domain.state,
    misconfigured: false,
    startsGeneration: true,
    work: { dns: stopped, reverify: stopped, issuance: stopped, probe: stopped },
    issues: { dns: [], certificate: [] },
    conflicts: [],
    history: 'removed: routes dropped',
  };
}

type DnsChecked = Extract<DomainTrigger, { type: 'dns.checked' }>;

/** Awaiting DNS: everything must hold before the domain is verified; until then the reasons are shown and polling goes on. */
function afterFirstChecks(
  domain: DomainFacts,
  { dns, ownership, isClaimedElsewhere }: DnsChecked,
  now: Date,
): Transition {
  const issues = [
    ...(dns.kind === 'matches' ? [] : dns.issues),
    ...ownershipIssues(ownership),
    ...(isClaimedElsewhere ? [describeIssue('claimed_elsewhere', { name: domain.name })] : []),
  ];
  const conflicts = dns.kind === 'mismatch' ? dns.conflicts : [];
  if (issues.length > 0) {
    const dueAt = nextPoll(domain.requestedAt, now);
    return { ...unchanged(domain), work: { dns: { dueAt, failuresInARow: 0 } }, issues: { dns: issues }, conflicts };
  }
  return {
    ...unchanged(domain),
    state: nextState(domain.state, 'dns.matched') ?? domain.state,
    startsGeneration: true,
    work: { dns: { dueAt: nextDriftCheck(now), failuresInARow: 0 }, issuance: { dueAt: now, failuresInARow: 0 } },
    issues: { dns: [], certificate: [] },
    conflicts,
    history: 'verified: the records point here',
  };
}

function ownershipIssues(ownership: OwnershipFacts | null): DomainIssue[] {
  if (ownership === null) return [];
  switch (ownership.verdict.kind) {
    case 'proven':
      return [];
    case 'refuted':
      return [describeIssue('ownership_txt_missing', { name: ownership.host, expected: ownership.token })];
    case 'unknown':
      return [describeIssue('resolver_failed', { errors: [ownership.verdict.error] })];
  }
}

/** Verified or live: DNS that no longer points here is shown and told, and never takes the domain down. */
function afterDriftCheck(domain: DomainFacts, dns: DnsVerdict, now: Date): Transition {
  const dueAt = nextDriftCheck(now);
  if (dns.kind === 'unknown') return { ...unchanged(domain), work: { dns: { dueAt } } };
  if (dns.kind === 'matches') {
    return {
      ...unchanged(domain),
      misconfigured: false,
      work: { dns: { dueAt, failuresInARow: 0 } },
      issues: { dns: [] },
      conflicts: [],
      history: domain.misconfigured ? 'the records point here again' : null,
    };
  }
  const misses = domain.failuresInARow + 1;
  const misconfigured = domain.misconfigured || (domain.state === 'live' && misses >= MISSES_TO_MISCONFIGURED);
  const lost = describeIssue('dns_lost', { name: domain.name, expected: domain.targetHost });
  return {
    ...unchanged(domain),
    misconfigured,
    work: { dns: { dueAt, failuresInARow: misses } },
    issues: { dns: [lost, ...dns.issues] },
    conflicts: dns.conflicts,
    history: misconfigured && !domain.misconfigured ? 'misconfigured: the records no longer point here' : null,
  };
}

type Reverified = Extract<DomainTrigger, { type: 'domain.reverified' }>;

/** DNS and CAA looked at afresh; only if both hold is the CA asked. */
function afterReverify(domain: DomainFacts, { dns, caa }: Reverified, now: Date): Transition {
  const again = { dueAt: nextPoll(domain.generationBeganAt, now) };
  if (dns.kind !== 'matches') {
    const conflicts = dns.kind === 'mismatch' ? dns.conflicts : [];
    return { ...unchanged(domain), work: { reverify: again }, issues: { dns: dns.issues }, conflicts };
  }
  if (caa.kind !== 'permits')
    return { ...unchanged(domain), work: { reverify: again }, issues: { dns: [], certificate: [caaIssue(caa)] } };
  return {
    ...unchanged(domain),
    work: { reverify: { dueAt: null }, issuance: { dueAt: now } },
    issues: { dns: [], certificate: [] },
    conflicts: [],
    history: 're-verified: a fresh certificate attempt starts',
  };
}

function caaIssue(caa: Exclude<CaaVerdict, { kind: 'permits' }>): DomainIssue {
  return caa.kind === 'forbids'
    ? describeIssue('caa_forbids', { at: caa.at, records: caa.records, permitting: caa.permitting })
    : describeIssue('resolver_failed', { errors: [`CAA at ${caa.at}: ${caa.error}`] });
}

type CertificateFailed = Extract<DomainTrigger, { type: 'certificate.failed' }>;

/** A refusal by our own gate costs the CA nothing: tried again as DNS is polled. Anything else climbs the CA-friendly ladder. */
function afterFailure(domain: DomainFacts, { failure, isByGate }: CertificateFailed, now: Date): Transition {
  if (isByGate) {
    const dueAt = nextPoll(domain.generationBeganAt, now) ?? nextDriftCheck(now);
    return { ...unchanged(domain), work: { issuance: { dueAt } }, issues: { certificate: failure.issues } };
  }
  const failuresInARow = domain.failuresInARow + 1;
  return {
    ...unchanged(domain),
    work: { issuance: { dueAt: nextAttempt(failure, failuresInARow, now), failuresInARow } },
    issues: { certificate: failure.issues },
    history: `certificate attempt failed: ${failure.issues[0]?.message ?? failure.class}`,
  };
}

function nextAttempt(failure: ClassifiedFailure, failuresInARow: number, now: Date): Date | null {
  switch (failure.class) {
    case 'final':
      return null;
    case 'rate':
      return failure.retryAt ?? nextLadderStep(failuresInARow + 1, now);
    case 'user':
    case 'passing': {
      const next = nextLadderStep(failuresInARow, now);
      return failure.retryAt !== null && failure.retryAt > next ? failure.retryAt : next;
    }
  }
}

function afterServed(domain: DomainFacts): Transition {
  const state = nextState(domain.state, 'certificate.served') ?? domain.state;
  return {
    ...unchanged(domain),
    state,
    work: { probe: { dueAt: null, failuresInARow: 0 } },
    issues: { certificate: [] },
    history: state === domain.state ? null : 'live: every edge shows the certificate',
  };
}
