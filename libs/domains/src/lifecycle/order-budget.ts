import type { DomainFacts } from './domain-trigger.js';

/**
 * What keeps a domain from being an annoyance to the CA. The ladder of failures alone asks four times in a day; whatever
 * else makes an attempt due sooner (a click, mended DNS, a CA that wants a certificate renewed at once) passes through here.
 */

const DAY_MS = 86_400_000;

/** Orders of one domain in any 24 hours, where something else than the schedule of failures asks for them. */
const ORDERS_A_DAY = 5;

/** From how long ago orders count. */
export const ORDERS_COUNT_FOR_MS = DAY_MS;

/**
 * When an order is allowed that the schedule of failures does not foresee.
 * @param ordersAt when CAs were asked, oldest first
 */
export function nextAllowedOrder(ordersAt: readonly Date[], now: Date): Date {
  const counted = ordersAt.filter((at) => at.getTime() > now.getTime() - DAY_MS);
  const oldestCounted = counted.at(-ORDERS_A_DAY);
  return oldestCounted === undefined ? now : new Date(oldestCounted.getTime() + DAY_MS);
}

/** Until when the CA does not want to be asked, by its own word or by its published limits; null when it may be. */
export function blockedByCaUntil({ issuance, certificateIssues }: DomainFacts, now: Date): Date | null {
  const isBlocked = certificateIssues.some(
    ({ code, evidence }) => code === 'ca_rate_limited' || (code === 'ca_unavailable' && evidence.until !== undefined),
  );
  return isBlocked && issuance.dueAt !== null && issuance.dueAt > now ? issuance.dueAt : null;
}
