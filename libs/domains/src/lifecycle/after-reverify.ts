import { describeCaa } from '../certificates/describe-caa.js';
import type { DomainFacts, DomainTrigger, Transition } from './domain-trigger.js';
import { heldByCaUntil, nextAllowedOrder } from './order-budget.js';
import { nextDriftCheck, nextPoll } from './schedules.js';
import { unchanged } from './unchanged.js';

/**
 * Re-verify: a fresh generation, whose attempt has to pass DNS and CAA first. Neither the count of failures nor a time
 * that the CA has named begins anew by it, so that clicking cannot cost more than the CA allows.
 */
export function afterReverifyClick(domain: DomainFacts, now: Date): Transition {
  const isHeld = heldByCaUntil(domain, now) !== null;
  return {
    ...unchanged(domain),
    startsGeneration: true,
    work: { reverify: { dueAt: now }, ...(!isHeld && { issuance: { dueAt: null } }) },
    history: 're-verify: DNS and CAA are checked again, then a new certificate is requested',
  };
}

type Reverified = Extract<DomainTrigger, { type: 'domain.reverified' }>;

/** DNS and CAA looked at afresh; only if both hold is the CA asked, and not before it may be. */
export function afterReverify(domain: DomainFacts, { dns, caa }: Reverified, now: Date): Transition {
  const again = { dueAt: nextPoll(domain.generationBeganAt, now) ?? nextDriftCheck(domain.jitter, now) };
  if (dns.kind !== 'matches') {
    const conflicts = dns.kind === 'mismatch' ? dns.conflicts : [];
    return { ...unchanged(domain), work: { reverify: again }, issues: { dns: dns.issues }, conflicts };
  }
  const heldUntil = heldByCaUntil(domain, now);
  const standing = heldUntil === null ? [] : domain.certificateIssues.filter(({ code }) => code !== 'caa_forbids');
  if (caa.kind !== 'permits') {
    const certificate = [describeCaa(caa), ...standing];
    return { ...unchanged(domain), work: { reverify: again }, issues: { dns: dns.notes ?? [], certificate } };
  }
  const dueAt = heldUntil ?? nextAllowedOrder(domain.ordersAt, now);
  return {
    ...unchanged(domain),
    work: { reverify: { dueAt: null }, ...(heldUntil === null && { issuance: { dueAt } }) },
    issues: { dns: dns.notes ?? [], certificate: standing },
    conflicts: [],
    history:
      dueAt > now
        ? `re-verified: a new certificate is requested at ${dueAt.toISOString()}, when the limit on requests allows it`
        : 're-verified: a new certificate is requested',
  };
}
