import type { DomainIssue, DomainState } from '@pets/contracts';
import { describeCaa } from '../certificates/describe-caa.js';
import type { ClassifiedFailure } from '../certificates/classify-failure.js';
import type { DnsVerdict } from '../dns/judge-dns.js';
import { describeIssue } from '../issues.js';
import { afterRemoval } from './after-removal.js';
import type { DnsChecked, DomainFacts, DomainTrigger, Transition } from './domain-trigger.js';
import { judgeClaim } from './judge-claim.js';
import { nextDanglingCheck, nextDriftCheck, nextLadderStep, nextPoll, nextProbe } from './schedules.js';

/**
 * The life of a domain. Everything that happens to one, a click or a fact from the worker, goes through `transition`,
 * which says what becomes of it: pure, so that the whole behaviour is in tables. Applying the outcome is the caller's.
 */

/** A live domain is shown as misconfigured after this many checks in a row that no longer match: one may be a hiccup. */
const MISSES_TO_MISCONFIGURED = 3;

/** Every change of state there is. What is not listed does not happen. */
const nextStates = {
  awaiting_dns: { 'dns.matched': 'verified', 'owner.removed': 'removed' },
  verified: { 'certificate.served': 'live', 'owner.removed': 'removed', 'owner.lost': 'removed' },
  live: { 'owner.removed': 'removed', 'owner.lost': 'removed' },
  removed: {},
} as const satisfies Record<DomainState, Partial<Record<string, DomainState>>>;

export type StateTrigger = 'dns.matched' | 'certificate.served' | 'owner.removed' | 'owner.lost';

/** The state a trigger leads to, or undefined when it changes none. */
export function nextState(state: DomainState, trigger: StateTrigger): DomainState | undefined {
  const moves: Partial<Record<StateTrigger, DomainState>> = nextStates[state];
  return moves[trigger];
}

/**
 * What becomes of a domain; null when the trigger means nothing to it any more, as anything after removal but a look at
 * the DNS that was left behind.
 */
export function transition(domain: DomainFacts, trigger: DomainTrigger, now: Date): Transition | null {
  const { removedAt } = domain;
  if (domain.state === 'removed')
    return trigger.type === 'dns.checked' && removedAt !== null
      ? afterRemoval({ ...domain, removedAt }, trigger, now)
      : null;
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
      return removed(domain, 'removed: routes dropped', now);
    case 'owner.lost':
      return nextState(domain.state, 'owner.lost') === undefined
        ? null
        : removed(domain, 'moved: another organization proved that it owns the name; routes dropped', now);
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
    case 'issuance.postponed':
      return {
        ...unchanged(domain),
        work: { issuance: { dueAt: trigger.until } },
        issues: { certificate: [trigger.issue] },
      };
    case 'renewal_info.fetched':
      return unchanged(domain);
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
    takesOver: false,
    work: {},
    issues: {},
    history: null,
  };
}

/** Nothing of it is served or tried any more; only its DNS is looked at some more, in case it still points here. */
function removed(domain: DomainFacts, history: string, now: Date): Transition {
  const stopped = { dueAt: null, failuresInARow: 0 };
  return {
    ...unchanged(domain),
    state: 'removed',
    misconfigured: false,
    startsGeneration: true,
    work: {
      dns: { ...stopped, dueAt: nextDanglingCheck(now, now) },
      reverify: stopped,
      issuance: stopped,
      probe: stopped,
    },
    issues: { dns: [], certificate: [] },
    conflicts: [],
    history,
  };
}

/** Awaiting DNS: everything must hold before the domain is verified; until then the reasons are shown and polling goes on. */
function afterFirstChecks(domain: DomainFacts, { dns, ...claim }: DnsChecked, now: Date): Transition {
  const verdict = judgeClaim({ name: domain.name, ...claim });
  const conflicts = dns.kind === 'mismatch' ? dns.conflicts : [];
  if (dns.kind !== 'matches' || verdict.kind === 'waits') {
    const dueAt = nextPoll(domain.requestedAt, now);
    const issues = [...issuesOf(dns), ...(verdict.kind === 'waits' ? verdict.issues : [])];
    return { ...unchanged(domain), work: { dns: { dueAt, failuresInARow: 0 } }, issues: { dns: issues }, conflicts };
  }
  return {
    ...unchanged(domain),
    state: nextState(domain.state, 'dns.matched') ?? domain.state,
    startsGeneration: true,
    takesOver: verdict.kind === 'takes_over',
    work: {
      dns: { dueAt: nextDriftCheck(domain.jitter, now), failuresInARow: 0 },
      issuance: { dueAt: now, failuresInARow: 0 },
    },
    issues: { dns: issuesOf(dns), certificate: [] },
    conflicts,
    history:
      verdict.kind === 'takes_over'
        ? 'verified: the records point here, and the proof took the name over from another organization'
        : 'verified: the records point here',
  };
}

/** Why records do not match; where they do, what is worth knowing of it. */
function issuesOf(dns: DnsVerdict): readonly DomainIssue[] {
  return dns.kind === 'matches' ? (dns.notes ?? []) : dns.issues;
}

/** Verified or live: DNS that no longer points here is shown and told, and never takes the domain down. */
function afterDriftCheck(domain: DomainFacts, dns: DnsVerdict, now: Date): Transition {
  const dueAt = nextDriftCheck(domain.jitter, now);
  if (dns.kind === 'unknown') return { ...unchanged(domain), work: { dns: { dueAt } } };
  if (dns.kind === 'matches') {
    return {
      ...unchanged(domain),
      misconfigured: false,
      work: { dns: { dueAt, failuresInARow: 0 } },
      issues: { dns: issuesOf(dns) },
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
    return { ...unchanged(domain), work: { reverify: again }, issues: { dns: [], certificate: [describeCaa(caa)] } };
  return {
    ...unchanged(domain),
    work: { reverify: { dueAt: null }, issuance: { dueAt: now } },
    issues: { dns: [], certificate: [] },
    conflicts: [],
    history: 're-verified: a fresh certificate attempt starts',
  };
}

type CertificateFailed = Extract<DomainTrigger, { type: 'certificate.failed' }>;

/** A refusal by our own gate costs the CA nothing: tried again as DNS is polled. Anything else climbs the CA-friendly ladder. */
function afterFailure(domain: DomainFacts, { failure, isByGate }: CertificateFailed, now: Date): Transition {
  if (isByGate) {
    const dueAt = nextPoll(domain.generationBeganAt, now) ?? nextDriftCheck(domain.jitter, now);
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
