import { unreportedAlert } from './certificate-alert.js';
import {
  afterFailure,
  afterIssued,
  afterNotServed,
  afterQueueing,
  afterDeferral,
  afterGivenUp,
  afterParking,
  afterPending,
  afterRenewalInfo,
  afterServed,
} from './after-attempt.js';
import { afterDriftCheck, afterInitialCheck, afterRemoval } from './after-dns-check.js';
import { afterReverify, afterReverifyClick } from './reverify.js';
import { afterOwnCertificate } from './after-own-certificate.js';
import { type DomainFacts, type DomainTrigger, nextState, type Transition, unchanged } from './domain-trigger.js';
import { restartedPreparation } from './preparation.js';
import { nextDanglingCheck, nextRetry } from './schedules.js';

/**
 * The state machine of a domain. Every request of the owner and every fact from the worker goes through `transition`, which
 * returns the outcome. It is a pure function; the caller applies the outcome.
 */

/**
 * Computes the outcome of a trigger, including a new certificate alert. Null if the trigger has no effect, such as most
 * triggers after the removal.
 */
export function transition(domain: DomainFacts, trigger: DomainTrigger, now: Date): Transition | null {
  if (domain.state === 'removed') return decideRemoved(domain, trigger, now);
  const outcome = decide(domain, trigger, now);
  return outcome && withAlert(domain, outcome, now);
}

/** DNS is still checked, and an order that a CA has accepted is read to its end. */
function decideRemoved(domain: DomainFacts, trigger: DomainTrigger, now: Date): Transition | null {
  const { removedAt } = domain;
  switch (trigger.type) {
    case 'dns.checked':
      return removedAt === null ? null : afterRemoval({ ...domain, removedAt }, trigger, now);
    case 'certificate.pending':
      return { ...unchanged(domain), work: { issuance: { dueAt: trigger.nextReadAt } } };
    case 'certificate.failed': {
      const failuresInARow = domain.failuresInARow + 1;
      const dueAt = trigger.isOrderOpen === true ? nextRetry(failuresInARow, now) : null;
      return { ...unchanged(domain), work: { issuance: { dueAt, failuresInARow } } };
    }
    case 'certificate.issued':
    case 'order.given_up':
    case 'issuance.impossible':
      return { ...unchanged(domain), work: { issuance: { dueAt: null } } };
    case 'owner.verify':
    case 'owner.reverify':
    case 'owner.removed':
    case 'owner.lost':
    case 'domain.reverified':
    case 'issuance.postponed':
    case 'issuance.parked':
    case 'issuance.queued':
    case 'renewal_info.fetched':
    case 'own_certificate.activated':
    case 'own_certificate.preferred':
    case 'own_certificate.ended':
    case 'own_certificate.due':
    case 'certificate.served':
    case 'certificate.not_served':
      return null;
  }
}

function decide(domain: DomainFacts, trigger: DomainTrigger, now: Date): Transition | null {
  switch (trigger.type) {
    case 'owner.verify':
      return { ...unchanged(domain), work: { dns: { dueAt: now } }, times: restartedPreparation(domain, now) };
    case 'owner.reverify':
      return afterReverifyClick(domain, trigger, now);
    case 'owner.removed':
      return removed(domain, 'removed: no longer served', now);
    case 'owner.lost':
      return nextState(domain.state, 'owner.lost') === undefined
        ? null
        : removed(
            domain,
            'moved: another organization proved that it owns the name; no longer served here, certificates are revoked',
            now,
          );
    case 'dns.checked':
      return domain.state === 'awaiting_dns'
        ? afterInitialCheck(domain, trigger, now)
        : afterDriftCheck(domain, trigger, now);
    case 'domain.reverified':
      return domain.state === 'verified' ? afterReverify(domain, trigger, now) : null;
    case 'certificate.issued':
      return afterIssued(domain, trigger, now);
    case 'certificate.failed':
      return afterFailure(domain, trigger, now);
    case 'certificate.pending':
      return afterPending(domain, trigger);
    case 'order.given_up':
      return afterGivenUp(domain, trigger);
    case 'issuance.impossible':
      return { ...unchanged(domain), work: { issuance: { dueAt: null } } };
    case 'issuance.postponed':
      return afterDeferral(domain, trigger);
    case 'issuance.parked':
      return afterParking(domain, trigger);
    case 'issuance.queued':
      return afterQueueing(domain);
    case 'renewal_info.fetched':
      return afterRenewalInfo(domain, trigger, now);
    case 'own_certificate.activated':
    case 'own_certificate.preferred':
    case 'own_certificate.ended':
      return afterOwnCertificate(domain, trigger, now);
    case 'own_certificate.due':
      return unchanged(domain);
    case 'certificate.served':
      return afterServed(domain, now);
    case 'certificate.not_served':
      return afterNotServed(domain, trigger, now);
  }
}

/** Ends all work of a removed domain, except the checks whether its DNS still points here. */
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
      renewal_info: stopped,
    },
    issues: { dns: [], certificate: [] },
    conflicts: [],
    history,
    alert: null,
  };
}

/** Adds the alert of the domain as it is after the outcome. */
function withAlert(domain: DomainFacts, outcome: Transition, now: Date): Transition {
  if (outcome.alert !== undefined) return outcome;
  const { state, misconfigured, issues, work, startsGeneration } = outcome;
  const alert = unreportedAlert(
    {
      ...domain,
      state,
      misconfigured,
      generationBeganAt: startsGeneration ? now : domain.generationBeganAt,
      dnsIssues: issues.dns ?? domain.dnsIssues,
      certificateIssues: issues.certificate ?? domain.certificateIssues,
      issuance: { ...domain.issuance, ...work.issuance },
    },
    now,
  );
  return alert === null ? outcome : { ...outcome, alert };
}
