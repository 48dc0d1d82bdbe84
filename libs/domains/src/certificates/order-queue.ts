import type { DomainIssue } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { ATTEMPT_MS, type CaLimit } from './ca-limits.js';
import { timeWithLifetimeLeft, type ValidityPeriod } from './renewal.js';

/**
 * New orders at a CA, as slots of a token bucket: a CA accepts `max` at once, and then one more each
 * `windowMs / max`. So a burst of one organization delays the next order of another by seconds, not by a window.
 *
 * The state of a bucket is one time, the theoretical arrival time of GCRA: until then, all spent slots are refilled.
 */
export interface OrderSlots {
  readonly limit: CaLimit;
  /** When the bucket is full again. A time in the past means that it is full. */
  readonly fullAt: Date;
}

/** How long a slot takes to be refilled. */
export function refillMs({ max, windowMs }: CaLimit): number {
  return windowMs / max;
}

/** The start of the orders that decide how many slots are left: after a window without orders the bucket is full. */
export function slotsCountSince({ windowMs }: CaLimit, now: Date): Date {
  return new Date(now.getTime() - 2 * windowMs);
}

/** Slots that may be used now, without those that were given away and are not used yet. */
export function freeSlots({ limit, fullAt }: OrderSlots, given: number, now: Date): number {
  const missing = Math.max(0, fullAt.getTime() - now.getTime()) / refillMs(limit);
  return Math.max(0, Math.floor(burstOf(limit) - missing - given));
}

/** Slots that are spent and not refilled, rounded up. */
export function spentSlots({ limit, fullAt }: OrderSlots, now: Date): number {
  return Math.ceil(Math.max(0, fullAt.getTime() - now.getTime()) / refillMs(limit));
}

/** When an order can be placed that has so many others before it. */
export function slotAt({ limit, fullAt }: OrderSlots, before: number, now: Date): Date {
  const start = Math.max(fullAt.getTime(), now.getTime());
  return new Date(Math.max(now.getTime(), start + (before + 1 - burstOf(limit)) * refillMs(limit)));
}

/**
 * The CA counts an order when it arrives, up to an attempt after its reservation, so orders that are reserved evenly may
 * arrive together. The slots that are refilled meanwhile are kept free.
 */
function burstOf(limit: CaLimit): number {
  return Math.max(1, limit.max - Math.ceil(ATTEMPT_MS / refillMs(limit)));
}

/**
 * Orders that wait for a slot of their CA (`OrderSlots`) form a queue for each organization. The queues are served by
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
