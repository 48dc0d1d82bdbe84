import { isWildcard, type DomainIssue, type IssueCode } from '@pets/contracts';
import { renewalTime } from '../certificates/renewal.js';
import type { DnsVerdict } from '../dns/evaluate-dns.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { nextAlertAt } from './certificate-alert.js';
import { type DnsChecked, type DomainFacts, nextState, type Transition, unchanged } from './domain-trigger.js';
import { evaluateClaim } from './evaluate-claim.js';
import { blockedByCaUntil, nextAllowedOrder } from './order-budget.js';
import { afterDelegation, afterPreparation, firstOrder, type DelegationOutcome } from './preparation.js';
import { isSameJson } from './same-json.js';
import { earlier, isRecentlyRequested, later, nextDanglingCheck, nextDriftCheck, nextPoll } from './schedules.js';

/** Consecutive mismatches after which a live domain is misconfigured; a single one may be temporary. */
const MISSES_TO_MISCONFIGURED = 3;

/** A check that follows another one sooner is there because somebody looks, and does not count: the schedule is slower. */
const MIN_COUNTED_PAUSE_MS = 30 * 60 * 1_000;

/**
 * A check of a domain that awaits DNS. It is verified when DNS and ownership are correct, and of a wildcard the delegation;
 * until then polling continues.
 */
export function afterInitialCheck(domain: DomainFacts, checked: DnsChecked, now: Date): Transition {
  const { dns, ...claim } = checked;
  const verdict = evaluateClaim({ name: domain.name, ...claim });
  const conflicts = conflictsAfter(domain, dns);
  const { times } = afterDelegation(domain, claim.challenges, now);
  const { delegatedAt = domain.delegatedAt } = times;
  // The delegation is the proof of a wildcard that matches by address, and only a proof from the same check counts.
  const isDelegated =
    dns.kind === 'matches' && dns.by === 'address' ? claim.challenges?.kind === 'delegated' : delegatedAt !== null;
  const lacksDelegation = isWildcard(domain.name) && !isDelegated;
  if (dns.kind !== 'matches' || verdict.kind === 'waits' || lacksDelegation) {
    const preparation = afterPreparation(domain, claim.challenges, verdict.kind !== 'waits', now);
    const dueAt = nextPoll(domain.requestedAt, now) ?? preparation.nextCheckAt;
    const claimIssues = verdict.kind === 'waits' ? verdict.issues : [];
    // Issues that require action come first.
    const issues = dns.kind === 'matches' ? [...claimIssues, ...notesOf(dns)] : [...dns.issues, ...claimIssues];
    const found = [...issues, ...preparation.issues];
    return {
      ...unchanged(domain),
      work: { dns: { dueAt, failuresInARow: 0 }, ...preparation.work },
      issues: { dns: [...found, ...unrefuted(domain, checked, found)] },
      conflicts,
      times: preparation.times,
      history: preparation.history,
    };
  }
  return {
    ...unchanged(domain),
    state: nextState(domain.state, 'dns.matched') ?? domain.state,
    // The result of an order that was placed before the switch still counts.
    startsGeneration: !domain.issuance.isUnderWay,
    takesOver: verdict.kind === 'takes_over',
    work: {
      dns: {
        dueAt: nextDnsCheckAt({ ...domain, generationBeganAt: now, unchangedChecks: 0 }, now),
        failuresInARow: 0,
        unchangedChecks: 0,
      },
      ...workAfterSwitch(domain, now),
    },
    issues: { dns: notesOf(dns), certificate: [] },
    conflicts,
    times,
    history:
      verdict.kind === 'takes_over'
        ? 'verified: the records point here, and the proof of ownership moved the name here from another organization'
        : 'verified: the records point here',
  };
}

/**
 * The errors of the check before that this one could not check again: servers that do not answer are no evidence that the owner
 * has fixed them.
 */
function unrefuted(
  { dnsIssues }: DomainFacts,
  { dns, ownership, challenges }: DnsChecked,
  found: readonly DomainIssue[],
): readonly DomainIssue[] {
  const isUnanswered = (code: IssueCode): boolean => {
    if (code === 'claimed_elsewhere') return false;
    if (code === 'ownership_txt_missing') return ownership?.verdict.kind === 'unknown';
    return (isOfDelegation(code) ? challenges?.kind : dns.kind) === 'unknown';
  };
  const isFound = (code: IssueCode) => found.some((issue) => issue.code === code);
  return dnsIssues.filter(({ code, severity }) => severity === 'error' && isUnanswered(code) && !isFound(code));
}

function conflictsAfter(domain: DomainFacts, dns: DnsVerdict): Transition['conflicts'] {
  if (dns.kind === 'unknown') return domain.conflicts;
  return dns.kind === 'mismatch' ? dns.conflicts : [];
}

/** A certificate that was issued before the switch is probed instead of ordered again. */
function workAfterSwitch(domain: DomainFacts, now: Date): Transition['work'] {
  const { certificate, ownCertificate, issuance, jitter } = domain;
  if (certificate === null || certificate.notAfter <= now)
    return {
      // The automatic certificate is the fallback of an uploaded one, which is served meanwhile.
      ...(ownCertificate !== null && { probe: { dueAt: now, failuresInARow: 0 } }),
      ...(!issuance.isUnderWay && { issuance: { dueAt: now, failuresInARow: 0 } }),
    };
  const renewAt = renewalTime(certificate.notBefore, certificate.notAfter, jitter);
  return {
    probe: { dueAt: now, failuresInARow: 0 },
    ...(issuance.dueAt === null && { issuance: { dueAt: later(now, renewAt), failuresInARow: 0 } }),
  };
}

/**
 * A check of a verified or live domain. A mismatch is reported but never takes the domain down. The pause until the next check
 * lengthens with each check that changes nothing, whether the records point here, elsewhere, or cannot be found.
 */
export function afterDriftCheck(domain: DomainFacts, checked: DnsChecked, now: Date): Transition {
  const delegation = afterDelegation(domain, checked.challenges, now);
  const outcome = withDelegation(domain, evaluateDrift(domain, checked.dns, now), delegation, checked, now);
  const counted = isCounted(domain, now) ? 1 : 0;
  const unchangedChecks = isUnchanged(domain, checked, outcome, now) ? domain.unchangedChecks + counted : 0;
  const dueAt = nextDnsCheckAt({ ...domain, unchangedChecks }, now);
  const { dns, ...others } = outcome.work;
  const times = { ...outcome.times, ...delegation.times };
  return { ...outcome, work: { dns: { ...dns, dueAt, unchangedChecks }, ...others }, times };
}

/**
 * A wildcard has no method but DNS-01: a delegation that is gone is an issue, and one that is found again, or of a name that
 * points here again, makes the order due that was impossible in between.
 */
function withDelegation(
  domain: DomainFacts,
  outcome: Transition,
  { times, issues }: DelegationOutcome,
  { challenges }: DnsChecked,
  now: Date,
): Transition {
  if (!isWildcard(domain.name)) return outcome;
  const { delegatedAt = domain.delegatedAt } = times;
  const isRestored = domain.delegatedAt === null || outcome.times.elsewhereSince === null;
  const work = delegatedAt !== null && isRestored && domain.issuance.dueAt === null ? firstOrder(domain, now) : {};
  const known = domain.dnsIssues.filter(({ code }) => isOfDelegation(code));
  const dns =
    outcome.issues.dns ??
    domain.dnsIssues.filter((issue) => !known.includes(issue) && issue.code !== 'resolver_failed');
  // A failed lookup is no evidence that the record is right now.
  const all = [...dns, ...(challenges?.kind === 'unknown' ? known : []), ...issues];
  return { ...outcome, work: { ...work, ...outcome.work }, issues: { ...outcome.issues, dns: all } };
}

function isOfDelegation(code: IssueCode): boolean {
  return code.startsWith('delegation_');
}

function evaluateDrift(domain: DomainFacts, dns: DnsVerdict, now: Date): Transition {
  if (dns.kind === 'unknown') {
    const broken = dns.issues.filter(({ code }) => code === 'dnssec_broken');
    const others = domain.dnsIssues.filter(({ code }) => code !== 'dnssec_broken');
    return broken.length === 0 ? unchanged(domain) : { ...unchanged(domain), issues: { dns: [...broken, ...others] } };
  }
  if (dns.kind === 'matches') {
    return {
      ...unchanged(domain),
      misconfigured: false,
      work: { dns: { dueAt: null, failuresInARow: 0 }, ...retryAfterRecovery(domain, now) },
      issues: { dns: notesOf(dns) },
      conflicts: [],
      times: domain.elsewhereSince === null ? {} : { elsewhereSince: null },
      history: hasLost(domain) ? 'the records point here again' : null,
    };
  }
  const misses = domain.failuresInARow + (isCounted(domain, now) ? 1 : 0);
  const misconfigured = domain.misconfigured || (domain.state === 'live' && misses >= MISSES_TO_MISCONFIGURED);
  const lost = describeIssue('dns_lost', { name: domain.name, expected: domain.targetHost });
  return {
    ...unchanged(domain),
    misconfigured,
    work: { dns: { dueAt: null, failuresInARow: misses } },
    issues: { dns: [lost, ...dns.issues] },
    conflicts: dns.conflicts,
    times: domain.elsewhereSince === null ? { elsewhereSince: now } : {},
    history: lossBetween(domain, misconfigured),
  };
}

function hasLost({ misconfigured, dnsIssues }: DomainFacts): boolean {
  return misconfigured || dnsIssues.some(({ code }) => code === 'dns_lost');
}

/** The line of history of a mismatch: the first one, and the one from which on the domain is misconfigured. */
function lossBetween(domain: DomainFacts, misconfigured: boolean): string | null {
  if (misconfigured && !domain.misconfigured) return 'misconfigured: the records no longer point here';
  return hasLost(domain) ? null : 'the records no longer point here';
}

/** Whether a check counts in a row of equal ones: it was scheduled or requested. */
function isCounted({ checkedAt, requestedAt }: DomainFacts, now: Date): boolean {
  const pauseMs = now.getTime() - (checkedAt?.getTime() ?? -Infinity);
  return pauseMs >= MIN_COUNTED_PAUSE_MS || isRecentlyRequested(requestedAt, now);
}

/** Whether a check has found what the one before did, and the owner has not just asked for it. */
function isUnchanged(domain: DomainFacts, checked: DnsChecked, outcome: Transition, now: Date): boolean {
  const { issues, conflicts = domain.conflicts } = outcome;
  return (
    outcome.misconfigured === domain.misconfigured &&
    isSameJson(issues.dns ?? domain.dnsIssues, domain.dnsIssues) &&
    isSameJson(conflicts, domain.conflicts) &&
    !checked.hasNewNameServers &&
    !isRecentlyRequested(domain.requestedAt, now)
  );
}

/** The next drift check, or the next possible certificate alert if that is earlier. */
function nextDnsCheckAt(domain: DomainFacts, now: Date): Date {
  return earlier(nextDriftCheck(domain.unchangedChecks, domain.jitter, now), nextAlertAt(domain, now));
}

/** The records are correct again after a mismatch: a failed attempt is retried before its scheduled time. */
function retryAfterRecovery(domain: DomainFacts, now: Date): Transition['work'] {
  const { issuance, dnsIssues, certificateIssues } = domain;
  const hasRecovered = [...dnsIssues, ...certificateIssues].some(({ code }) => code === 'dns_lost');
  const hasFailed = certificateIssues.some(({ severity }) => severity !== 'info');
  const isWaiting = (issuance.dueAt ?? now) > now && !issuance.isUnderWay;
  if (!hasRecovered || !hasFailed || !isWaiting || blockedByCaUntil(domain, now) !== null) return {};
  return { issuance: { dueAt: earlier(nextAllowedOrder(domain.ordersAt, now), issuance.dueAt) } };
}

function notesOf({ notes = [] }: Extract<DnsVerdict, { kind: 'matches' }>): readonly DomainIssue[] {
  return notes;
}

/**
 * A check of a removed domain. If its DNS still points here, the former owner gets an issue, since the record may have been
 * forgotten. The checks end when the record is gone, when another organization has the name, or after a week.
 */
export function afterRemoval(
  domain: DomainFacts & { readonly removedAt: Date },
  { dns, isClaimedElsewhere }: DnsChecked,
  now: Date,
): Transition {
  const unchanged = {
    state: domain.state,
    misconfigured: false,
    startsGeneration: false,
    takesOver: false,
    times: {},
  } as const;
  const later = { dueAt: nextDanglingCheck(domain.removedAt, now), failuresInARow: 0 };
  if (!isClaimedElsewhere && dns.kind === 'unknown')
    return { ...unchanged, work: { dns: later }, issues: {}, history: null };
  if (isClaimedElsewhere || dns.kind !== 'matches') {
    const history = domain.isDangling ? 'the DNS record of the removed domain is no longer checked' : null;
    return { ...unchanged, work: { dns: { dueAt: null } }, issues: { dns: [] }, history };
  }
  const dangling = describeIssue('dangling_record', { name: domain.name, expected: domain.targetHost });
  return {
    ...unchanged,
    work: { dns: later },
    issues: { dns: [dangling] },
    history: domain.isDangling ? null : `${dangling.message} ${dangling.remediation}`,
  };
}
