import type { DomainEvents } from '@pets/contracts';
import { nextTry } from './retry-schedule.js';

/** What a try has shown. */
export type AttemptFacts = Pick<DomainEvents['webhook.attempted'], 'status' | 'error' | 'retryAt'>;

export type AttemptVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly dueAt: Date; readonly error: string }
  /** No try is left. */
  | { readonly kind: 'exhausted'; readonly error: string }
  /** The receiver wants nothing any more. */
  | { readonly kind: 'gone'; readonly error: string };

const GONE = 410;

/** Statuses whose `Retry-After` says when to come again (RFC 9110 §10.2.3, RFC 6585 §4). */
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/**
 * What follows from a try. Only 2xx is delivered: a redirect is not followed, since whoever can set one up could have
 * what is signed for one receiver sent to another.
 * @param failures before this one, since the delivery was recorded or replayed
 * @param random from 0 up to 1
 */
export function evaluateAttempt(facts: AttemptFacts, failures: number, random: number, now: Date): AttemptVerdict {
  const { status, retryAt } = facts;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  const error = describe(facts);
  if (status === GONE) return { kind: 'gone', error };
  const wantedAt = status !== null && BUSY.has(status) && retryAt !== null ? new Date(retryAt) : null;
  const dueAt = nextTry(failures + 1, { random, wantedAt, now });
  return dueAt === null ? { kind: 'exhausted', error } : { kind: 'retry', dueAt, error };
}

function describe({ status, error }: AttemptFacts): string {
  if (status === null) return error ?? 'no answer';
  if (status >= 300 && status < 400) return `answered with a redirect (${status}), which is not followed`;
  return `answered with status ${status}`;
}

/** An endpoint that takes nothing for longer than this, and uses up the tries of a delivery, is not tried any more. */
const HOPELESS_AFTER_MS = 60 * 60 * 60 * 1_000;

/**
 * Whether an endpoint is disabled now that all tries of a delivery are used up: the tries last three days, and it has
 * taken nothing else in nearly as long.
 */
export function shouldDisableEndpoint(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= HOPELESS_AFTER_MS;
}
