import type { DomainState } from '@pets/contracts';
import { earlier, later } from '../lifecycle/schedules.js';

/**
 * An order that a CA has accepted outlives the job that placed it: the attempt ends, and the next one continues the order. When
 * it is read, and when it is given up for a new one. See docs/decisions/0100-orders-outlive-jobs.md.
 */

/** Until an order is stuck it is read so often: a CA that names no time has usually finished within minutes. */
const READ_MS = 2_000;
/** Later the pause is this part of the time waited. */
const PAUSE_PART = 1 / 50;
const MAX_READ_MS = 10 * 60_000;

/** An order that takes longer is stuck: it may be replaced by a new one. */
const STUCK_AFTER_MS = 30 * 60_000;

/** How long an order without an end is open. */
const DEFAULT_LIFE_MS = 24 * 60 * 60_000;

/** When an order that is not finished is read next: not before the CA allows it, and a last time at its end. */
export function nextOrderRead(
  { orderedAt, expiresAt }: { readonly orderedAt: Date; readonly expiresAt: Date },
  retryAt: Date | null,
  now: Date,
): Date {
  const waitedMs = now.getTime() - orderedAt.getTime();
  const pauseMs = waitedMs <= STUCK_AFTER_MS ? READ_MS : Math.min(waitedMs * PAUSE_PART, MAX_READ_MS);
  return earlier(later(new Date(now.getTime() + pauseMs), retryAt), expiresAt);
}

/** Whether an order has been open for so long that a failure, or a request of the owner, ends it. */
export function isOrderStuck(orderedAt: Date, now: Date): boolean {
  return now.getTime() - orderedAt.getTime() > STUCK_AFTER_MS;
}

/** How the generation of a domain began. */
export interface GenerationFacts {
  readonly state: DomainState;
  readonly verifiedAt: Date | null;
  readonly generationBeganAt: Date;
}

/** When the owner asked for a new attempt; null if the addition, the verification or the removal began the generation. */
export function reverifiedAt({ state, verifiedAt, generationBeganAt }: GenerationFacts): Date | null {
  const isAsked = state !== 'removed' && verifiedAt !== null && generationBeganAt > verifiedAt;
  return isAsked ? generationBeganAt : null;
}

/** When an order ends that the CA does not finish. @param expires as the CA says (RFC 8555 §7.1.3); null if it does not */
export function orderEnd(expires: string | null, orderedAt: Date): Date {
  return expires === null ? new Date(orderedAt.getTime() + DEFAULT_LIFE_MS) : new Date(expires);
}
