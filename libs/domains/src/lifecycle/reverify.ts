import type { DomainState } from '@pets/contracts';
import { ageUnansweredCaa, describeCaa, isCaaIssue } from '../certificates/evaluate-caa.js';
import { type DomainFacts, type DomainTrigger, type Transition, unchanged } from './domain-trigger.js';
import { blockedByCaUntil, nextAllowedOrder } from './order-budget.js';
import { nextDriftCheck, nextPoll } from './schedules.js';

export interface ReverifyFacts {
  readonly state: DomainState;
  readonly hasCertificate: boolean;
  readonly isAttemptInFlight: boolean;
  readonly hasLastAttemptFailed: boolean;
  readonly generationBeganAt: Date;
}

export type ReverifyVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string; readonly retryAfterSeconds: number | null };

/**
 * Whether the owner may request a new certificate attempt: the domain is verified and has no certificate, and either the last
 * attempt failed and none is in progress, or `reverifyAfterSeconds` have passed since the generation started.
 */
export function evaluateReverify(facts: ReverifyFacts, reverifyAfterSeconds: number, now: Date): ReverifyVerdict {
  if (facts.state !== 'verified')
    return refuse(`The domain is ${facts.state}; only a verified domain can be re-verified.`, null);
  if (facts.hasCertificate) return refuse('The domain already has a certificate.', null);
  const leftMs = facts.generationBeganAt.getTime() + reverifyAfterSeconds * 1000 - now.getTime();
  if (leftMs <= 0) return { allowed: true };
  if (facts.isAttemptInFlight) return refuse('A certificate request is in progress.', Math.ceil(leftMs / 1000));
  if (facts.hasLastAttemptFailed) return { allowed: true };
  return refuse('The certificate is still being issued.', Math.ceil(leftMs / 1000));
}

function refuse(reason: string, retryAfterSeconds: number | null): ReverifyVerdict {
  return { allowed: false, reason, retryAfterSeconds };
}

/**
 * A request to re-verify starts a new generation, whose attempt first checks DNS and CAA. It resets neither the failure count
 * nor the CA's retry time, so that repeated requests cannot exceed the CA's limits. An open order is read instead.
 */
export function afterReverifyClick(
  domain: DomainFacts,
  { hasOpenOrder = false }: Extract<DomainTrigger, { type: 'owner.reverify' }>,
  now: Date,
): Transition {
  if (hasOpenOrder)
    return {
      ...unchanged(domain),
      startsGeneration: true,
      work: { issuance: { dueAt: now } },
      history: 're-verify: the certificate authority is asked for the certificate that was requested',
    };
  const isBlocked = blockedByCaUntil(domain, now) !== null;
  return {
    ...unchanged(domain),
    startsGeneration: true,
    work: { reverify: { dueAt: now }, ...(!isBlocked && { issuance: { dueAt: null } }) },
    history: 're-verify: DNS and CAA are checked again, then a new certificate is requested',
  };
}

type Reverified = Extract<DomainTrigger, { type: 'domain.reverified' }>;

/** The result of the new DNS and CAA checks. If both pass, the certificate is requested as soon as the limits allow. */
export function afterReverify(domain: DomainFacts, { dns, caa }: Reverified, now: Date): Transition {
  const retry = { dueAt: nextPoll(domain.generationBeganAt, now) ?? nextDriftCheck(0, domain.jitter, now) };
  if (dns.kind !== 'matches') {
    const conflicts = dns.kind === 'mismatch' ? dns.conflicts : [];
    return { ...unchanged(domain), work: { reverify: retry }, issues: { dns: dns.issues }, conflicts };
  }
  const blockedUntil = blockedByCaUntil(domain, now);
  const remaining = blockedUntil === null ? [] : domain.certificateIssues.filter((issue) => !isCaaIssue(issue));
  if (caa.kind !== 'permits') {
    const found = ageUnansweredCaa([describeCaa(caa)], domain.certificateIssues, now);
    const certificate = [...found, ...remaining];
    return { ...unchanged(domain), work: { reverify: retry }, issues: { dns: dns.notes ?? [], certificate } };
  }
  const dueAt = blockedUntil ?? nextAllowedOrder(domain.ordersAt, now);
  return {
    ...unchanged(domain),
    work: { reverify: { dueAt: null }, ...(blockedUntil === null && { issuance: { dueAt } }) },
    issues: { dns: dns.notes ?? [], certificate: remaining },
    conflicts: [],
    history:
      dueAt > now
        ? `re-verified: a new certificate is requested at ${dueAt.toISOString()}, when the limit on requests allows it`
        : 're-verified: a new certificate is requested',
  };
}
