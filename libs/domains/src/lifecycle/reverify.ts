import type { DomainState } from '@pets/contracts';
import { describeCaa } from '../certificates/evaluate-caa.js';
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
 * Whether a fresh certificate attempt may be asked for: verified, no certificate, and either the last attempt has
 * failed and none is in flight, or the generation has had its time.
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
 * Re-verify: a fresh generation, whose attempt has to pass DNS and CAA first. Neither the count of failures nor a time
 * that the CA has named begins anew by it, so that clicking cannot cost more than the CA allows.
 */
export function afterReverifyClick(domain: DomainFacts, now: Date): Transition {
  const isBlocked = blockedByCaUntil(domain, now) !== null;
  return {
    ...unchanged(domain),
    startsGeneration: true,
    work: { reverify: { dueAt: now }, ...(!isBlocked && { issuance: { dueAt: null } }) },
    history: 're-verify: DNS and CAA are checked again, then a new certificate is requested',
  };
}

type Reverified = Extract<DomainTrigger, { type: 'domain.reverified' }>;

/** DNS and CAA looked at afresh; only if both hold is the CA asked, and not before it may be. */
export function afterReverify(domain: DomainFacts, { dns, caa }: Reverified, now: Date): Transition {
  const retry = { dueAt: nextPoll(domain.generationBeganAt, now) ?? nextDriftCheck(domain.jitter, now) };
  if (dns.kind !== 'matches') {
    const conflicts = dns.kind === 'mismatch' ? dns.conflicts : [];
    return { ...unchanged(domain), work: { reverify: retry }, issues: { dns: dns.issues }, conflicts };
  }
  const blockedUntil = blockedByCaUntil(domain, now);
  const remaining = blockedUntil === null ? [] : domain.certificateIssues.filter(({ code }) => code !== 'caa_forbids');
  if (caa.kind !== 'permits') {
    const certificate = [describeCaa(caa), ...remaining];
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
