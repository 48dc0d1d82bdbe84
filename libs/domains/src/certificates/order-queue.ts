import type { DomainIssue } from '@pets/contracts';
import { describeIssue } from '../issues/describe-issue.js';
import { timeWithLifetimeLeft, type ValidityPeriod } from './renewal.js';

/**
 * Orders that wait for a slot of their CA (`order-slots.ts`) form a queue for each organization. The queues are served by
 * weighted round robin, as start-time fair queueing does it: an order gets a virtual time when it joins, the lowest one is
 * next, and consecutive orders of an organization are the inverse of its share (`planShares`) apart. See
 * docs/decisions/0015-ca-budget.md.
 */

/** The lower one is served first. */
export type OrderRank = 0 | 1;

/** Part of its lifetime below which a certificate is renewed before any other order. */
const URGENT_PART = 1 / 4;

/**
 * Whether an order goes before others. Renewals at the same CA never wait for a slot; this is for those that the CA counts
 * as new orders: at another CA, or long after the last certificate.
 * @param certificate the newest one of the domain
 */
export function orderRank(certificate: ValidityPeriod | undefined, now: Date): OrderRank {
  return certificate !== undefined && timeWithLifetimeLeft(certificate, URGENT_PART) <= now ? 0 : 1;
}

/** The place of an order in the queue. */
export interface QueuePosition {
  /** Orders before it. */
  readonly before: number;
  /** Whether there are more than `before`; they are counted to a limit. */
  readonly isMore: boolean;
  readonly expectedAt: Date;
}

/** Tells the owner the place of the order, and when it will be placed if nothing changes. */
export function queueIssue({ before, isMore, expectedAt }: QueuePosition, now: Date): DomainIssue {
  const count = `${isMore ? 'more than ' : ''}${before}`;
  return describeIssue('certificate_queued', {
    before: before === 1 && !isMore ? '1 order is' : `${count} orders are`,
    wait: describeWait(expectedAt.getTime() - now.getTime()),
    expectedAt: expectedAt.toISOString(),
  });
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;

/** Such as `40 minutes`; in larger units from two of them. */
function describeWait(waitMs: number): string {
  const minutes = Math.max(1, Math.round(waitMs / MINUTE_MS));
  if (minutes >= 2 * DAY_MINUTES) return `${Math.round(minutes / DAY_MINUTES)} days`;
  if (minutes >= 2 * HOUR_MINUTES) return `${Math.round(minutes / HOUR_MINUTES)} hours`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
