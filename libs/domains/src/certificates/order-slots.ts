import { ATTEMPT_MS, type CaLimit } from './ca-limits.js';

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
