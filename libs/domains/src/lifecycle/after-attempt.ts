import type { DomainIssue, DomainState } from '@pets/contracts';
import type { ClassifiedFailure } from '../certificates/classify-failure.js';
import {
  firstRenewalInfo,
  nextRenewalInfo,
  nextRenewalInfoAfterFailure,
  renewalInWindow,
} from '../certificates/renewal.js';
import { ageUnansweredCaa } from '../certificates/evaluate-caa.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { type DomainFacts, type DomainTrigger, nextState, type Transition, unchanged } from './domain-trigger.js';
import { nextAllowedOrder } from './order-budget.js';
import { later, nextDriftCheck, nextRetry, nextPoll, nextProbe } from './schedules.js';

/** Transitions after results about certificates: issuance, failure, renewal information, and probes of the edges. */

type Trigger<Type extends DomainTrigger['type']> = Extract<DomainTrigger, { type: Type }>;

/** Gives the worker time to end the failed attempt before it starts one at the other CA. */
export const OTHER_CA_DELAY_MS = 1_000;

/**
 * A new certificate clears the issues and alerts of the old one. Of a name that still points elsewhere, it is probed as well;
 * while another organization has the name, its route is published only when the name moves, so there is nothing to probe.
 */
export function afterIssued(domain: DomainFacts, { renewAt }: Trigger<'certificate.issued'>, now: Date): Transition {
  const isAwaiting = domain.state === 'awaiting_dns';
  const isProbed = !isAwaiting || !domain.isClaimedElsewhere;
  const isDnsCheckDue = isAwaiting || (domain.dnsDueAt ?? now) <= now;
  return {
    ...unchanged(domain),
    work: {
      issuance: { dueAt: renewAt, failuresInARow: 0 },
      ...(isProbed && { probe: { dueAt: now, failuresInARow: 0 } }),
      renewal_info: { dueAt: firstRenewalInfo(renewAt, now), failuresInARow: 0 },
      // Spreads the DNS checks of domains that were verified together.
      ...(domain.certificate === null && !isDnsCheckDue && { dns: { dueAt: nextDriftCheck(0, domain.jitter, now) } }),
    },
    issues: { certificate: [] },
    times: isProbed || domain.readyAt !== null ? {} : { readyAt: now },
    history: domain.certificate === null ? 'certificate issued' : 'certificate renewed',
    alert: null,
  };
}

/**
 * Schedules the next attempt. A failed preflight costs the CA nothing: it is retried like a DNS check, by polling before the
 * first certificate and with the drift checks after it, whose pauses it has where they have reported that the records are
 * lost; else DNS is checked now. A failure at the CA is retried at another CA at once, if one is
 * available. Otherwise the retry backoff applies: one step after every CA has failed.
 */
export function afterFailure(domain: DomainFacts, trigger: Trigger<'certificate.failed'>, now: Date): Transition {
  const { failure, isPreflightFailure, hasOtherCa } = trigger;
  const found = ageUnansweredCaa(failure.issues, domain.certificateIssues, now);
  const issues = { certificate: [...found, ...domain.certificateIssues.filter(isNotServed)] };
  if (isPreflightFailure) {
    const polled = domain.certificate === null ? nextPoll(domain.generationBeganAt, now) : null;
    const isLost = domain.dnsIssues.some(({ code }) => code === 'dns_lost');
    const dueAt = polled ?? nextDriftCheck(isLost ? domain.unchangedChecks : 0, domain.jitter, now);
    return {
      ...unchanged(domain),
      work: { issuance: { dueAt }, ...(!isLost && domain.certificate !== null && { dns: { dueAt: now } }) },
      issues,
    };
  }
  const failuresInARow = domain.failuresInARow + 1;
  const reason = failure.issues[0]?.message ?? failure.class;
  return {
    ...unchanged(domain),
    work: {
      issuance: hasOtherCa
        ? { dueAt: new Date(now.getTime() + OTHER_CA_DELAY_MS) }
        : { dueAt: nextAttempt(domain.certificate !== null, failure, failuresInARow, now), failuresInARow },
    },
    issues,
    history: `certificate attempt failed: ${reason}${hasOtherCa ? ' Trying another certificate authority.' : ''}`,
  };
}

/** The later of the CA's retry time and the backoff, so that a short `Retry-After` does not cause constant requests. */
export function nextAttempt(
  hasCertificate: boolean,
  failure: ClassifiedFailure,
  failuresInARow: number,
  now: Date,
): Date | null {
  switch (failure.class) {
    case 'final':
      // A name that had a certificate was acceptable before, so it is retried daily.
      return hasCertificate ? nextRetry(Infinity, now) : null;
    case 'rate':
      return later(nextRetry(failuresInARow + (failure.retryAt === null ? 1 : 0), now), failure.retryAt);
    case 'user':
    case 'passing':
      return later(nextRetry(failuresInARow, now), failure.retryAt);
  }
}

/** The CA works on the order, so this is no failure. */
export function afterPending(domain: DomainFacts, { nextReadAt, issue }: Trigger<'certificate.pending'>): Transition {
  const isKnown = domain.certificateIssues.some(({ code }) => code === issue.code);
  return {
    ...unchanged(domain),
    work: { issuance: { dueAt: nextReadAt } },
    issues: { certificate: [issue, ...domain.certificateIssues.filter(isNotServed)] },
    history: isKnown ? null : issue.message,
  };
}

/** The next order is one of the owner's budget; the failures in a row stay. */
export function afterGivenUp(domain: DomainFacts, { nextOrderAt, reason }: Trigger<'order.given_up'>): Transition {
  return {
    ...unchanged(domain),
    work: { issuance: { dueAt: nextOrderAt } },
    issues: { certificate: domain.certificateIssues.filter(isNotServed) },
    history: `${reason}: a new certificate is requested`,
  };
}

/** No CA was contacted, so this does not count as a failure. */
export function afterDeferral(domain: DomainFacts, { until, issue }: Trigger<'issuance.postponed'>): Transition {
  return {
    ...unchanged(domain),
    work: { issuance: { dueAt: until } },
    issues: { certificate: [issue, ...domain.certificateIssues.filter(isNotServed)] },
  };
}

/** Many names may wait for one registered domain, so they are not due when the first of them can be ordered. */
export function afterParking(domain: DomainFacts, { issue }: Trigger<'issuance.parked'>): Transition {
  return {
    ...unchanged(domain),
    work: { issuance: { dueAt: null } },
    issues: { certificate: [issue, ...domain.certificateIssues.filter(isNotServed)] },
  };
}

/** The place in the queue changes with every order, so it is read with the domain instead of stored. */
export function afterQueueing(domain: DomainFacts): Transition {
  const remaining = domain.certificateIssues.filter(({ code }) => code !== 'ca_rate_limited');
  const isChanged = remaining.length < domain.certificateIssues.length;
  return {
    ...unchanged(domain),
    work: { issuance: { dueAt: null } },
    issues: isChanged ? { certificate: remaining } : {},
  };
}

/** The CA's window replaces our planned renewal, but never the retry of a failed one. */
export function afterRenewalInfo(
  domain: DomainFacts,
  { window, explanationUrl, retryAt, hasFailed }: Trigger<'renewal_info.fetched'>,
  now: Date,
): Transition {
  const { certificate, jitter } = domain;
  if (certificate === null) return { ...unchanged(domain), work: { renewal_info: { dueAt: null } } };
  if (hasFailed) {
    const failuresInARow = domain.failuresInARow + 1;
    const dueAt = nextRenewalInfoAfterFailure(retryAt, jitter, now);
    return { ...unchanged(domain), work: { renewal_info: { dueAt, failuresInARow } } };
  }
  if (window === null) return { ...unchanged(domain), work: { renewal_info: { dueAt: null, failuresInARow: 0 } } };
  const renewalInfo = { renewal_info: { dueAt: nextRenewalInfo(retryAt, jitter, now), failuresInARow: 0 } };
  const planned = plannedRenewalAt(domain, now);
  if (planned === null) return { ...unchanged(domain), work: renewalInfo };
  const dueAt = later(
    renewalInWindow(window, certificate, jitter, now),
    // Prevents an endless loop if a CA requests immediate renewal of every certificate.
    nextAllowedOrder(domain.ordersAt, now),
  );
  const isEarlier = dueAt < planned;
  return {
    ...unchanged(domain),
    work: { ...renewalInfo, ...(dueAt.getTime() !== planned.getTime() && { issuance: { dueAt } }) },
    history:
      isEarlier && (dueAt <= now || explanationUrl !== null)
        ? `the certificate authority requests renewal ${dueAt <= now ? 'now' : `at ${dueAt.toISOString()}`}` +
          (explanationUrl === null ? '' : `: ${explanationUrl}`)
        : null,
  };
}

/** When the certificate is renewed as planned: after no failure, not now, and not by an attempt in progress. */
function plannedRenewalAt({ issuance, certificateIssues }: DomainFacts, now: Date): Date | null {
  const { dueAt, isUnderWay, failuresInARow } = issuance;
  const isPlanned = (dueAt ?? now) > now && !isUnderWay && failuresInARow === 0 && certificateIssues.every(isNotServed);
  return isPlanned ? dueAt : null;
}

export function afterServed(domain: DomainFacts, now: Date): Transition {
  const state = nextState(domain.state, 'certificate.served') ?? domain.state;
  const becomesReady = state === 'awaiting_dns' && domain.readyAt === null;
  return {
    ...unchanged(domain),
    state,
    work: { probe: { dueAt: null, failuresInARow: 0 } },
    issues: { certificate: domain.certificateIssues.filter((issue) => !isNotServed(issue)) },
    times: becomesReady ? { readyAt: now } : {},
    history: historyOfServed(domain, state, becomesReady),
  };
}

function historyOfServed(domain: DomainFacts, state: DomainState, becomesReady: boolean): string | null {
  if (becomesReady) return 'ready: the edges serve the certificate, and the DNS record can be switched';
  return state === domain.state ? null : 'live: the edges serve the certificate';
}

/** Probes again until the edges serve the certificate. Other issues of the certificate stay. */
export function afterNotServed(
  domain: DomainFacts,
  { seen }: Trigger<'certificate.not_served'>,
  now: Date,
): Transition {
  const others = domain.certificateIssues.filter((issue) => !isNotServed(issue));
  return {
    ...unchanged(domain),
    work: { probe: { dueAt: nextProbe(domain.failuresInARow, now), failuresInARow: domain.failuresInARow + 1 } },
    issues: { certificate: [...others, describeIssue('not_served_yet', { seen })] },
  };
}

function isNotServed({ code }: DomainIssue): boolean {
  return code === 'not_served_yet';
}
