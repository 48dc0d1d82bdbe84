import { later } from './schedules.js';
import { type DomainFacts, type DomainTrigger, type Transition, unchanged } from './domain-trigger.js';
import { blockedByCaUntil, nextAllowedOrder } from './order-budget.js';

type Trigger = Extract<
  DomainTrigger,
  { type: 'own_certificate.activated' | 'own_certificate.preferred' | 'own_certificate.ended' }
>;

/**
 * Visitors may get another certificate from now on: the edges are probed for it. Orders of automatic certificates go on as
 * before; one is due now if an uploaded certificate has ended and there is no valid automatic one. An alert belongs to the
 * certificate that was served, so it ends.
 */
export function afterOwnCertificate(domain: DomainFacts, trigger: Trigger, now: Date): Transition {
  const isServed = domain.state === 'verified' || domain.state === 'live';
  const isPrepared = domain.preparedAt !== null && !domain.isClaimedElsewhere;
  return {
    ...unchanged(domain),
    work: {
      ...((isServed || isPrepared) && { probe: { dueAt: now, failuresInARow: 0 } }),
      ...(trigger.type === 'own_certificate.ended' && isServed && orderOfFallback(domain, now)),
    },
    history: trigger.detail,
    alert: null,
  };
}

/** An attempt that is under way, due earlier, or that the CA has postponed, stays as it is. */
function orderOfFallback(domain: DomainFacts, now: Date): Transition['work'] {
  const { certificate, issuance, ordersAt, mayRenew } = domain;
  const isCovered = certificate !== null && certificate.notAfter > now;
  if (isCovered || issuance.isUnderWay || !mayRenew) return {};
  const dueAt = later(nextAllowedOrder(ordersAt, now), blockedByCaUntil(domain, now));
  return issuance.dueAt !== null && issuance.dueAt <= dueAt ? {} : { issuance: { dueAt } };
}
