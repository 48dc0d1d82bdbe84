import type { DomainFacts } from './domain-trigger.js';
import { later } from './schedules.js';

/**
 * Limits the orders of a domain outside the retry backoff, which allows about four orders a day. This applies to every other
 * reason for an earlier attempt: a request of the owner, corrected DNS, or a CA that requests immediate renewal.
 */

const DAY_MS = 86_400_000;

/** Orders of one domain in any 24 hours. */
const MAX_ORDERS_PER_DAY = 5;

/** How long an order counts. */
export const ORDERS_COUNT_FOR_MS = DAY_MS;

/**
 * The earliest time of an order outside the retry backoff.
 * @param ordersAt times of previous orders, oldest first
 */
export function nextAllowedOrder(ordersAt: readonly Date[], now: Date): Date {
  const fifth = ordersAt.at(-MAX_ORDERS_PER_DAY);
  return fifth === undefined ? now : later(now, new Date(fifth.getTime() + DAY_MS));
}

/** Until when the CA accepts no order, by its answer or its published limits; null if it accepts one now. */
export function blockedByCaUntil({ issuance, certificateIssues }: DomainFacts, now: Date): Date | null {
  const isBlocked = certificateIssues.some(
    ({ code, evidence }) => code === 'ca_rate_limited' || (code === 'ca_unavailable' && evidence.until !== undefined),
  );
  return isBlocked && (issuance.dueAt ?? now) > now ? issuance.dueAt : null;
}
