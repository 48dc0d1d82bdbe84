import type { DomainEvents } from '@pets/contracts';

/** The outcome of an attempt. */
export type AttemptFacts = Pick<DomainEvents['webhook.attempted'], 'status' | 'error' | 'retryAt'>;

export type AttemptVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly dueAt: Date; readonly error: string }
  /** No attempt is left. */
  | { readonly kind: 'exhausted'; readonly error: string }
  /** The receiver wants no more events. */
  | { readonly kind: 'gone'; readonly error: string };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after the first, second, … failed attempt: a little more than three days, as Standard Webhooks recommends. */
export const retryPausesMs = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** Attempts of a delivery that fails each time. */
export const MAX_ATTEMPTS = retryPausesMs.length + 1;

/** Relative deviation of a pause, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** Limit of the time that a receiver can request: later, the event is of no use. */
const MAX_REQUESTED_PAUSE_MS = 24 * HOUR_MS;

/** In the place of a status where none was received. */
const NO_RESPONSE = 0;
const GONE = 410;

/** Statuses whose `Retry-After` is followed (RFC 9110 §10.2.3, RFC 6585 §4). */
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/**
 * Decides what follows an attempt. Only 2xx is a success: a redirect is not followed, since it could send an event that is
 * signed for one receiver to another.
 * @param failures before this attempt, since the delivery was recorded or replayed
 * @param random from 0 up to 1
 */
export function evaluateAttempt(facts: AttemptFacts, failures: number, random: number, now: Date): AttemptVerdict {
  const status = facts.status ?? NO_RESPONSE;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const error = describe(facts);
  if (status === GONE) return { kind: 'gone', error };
  const requestedAt = new Date((BUSY.has(status) ? facts.retryAt : null) ?? now);
  const dueAt = nextAttemptAt(failures + 1, { random, requestedAt, now });
  return dueAt === null ? { kind: 'exhausted', error } : { kind: 'retry', dueAt, error };
}

/** Longer than a receiver needs that works. */
const LONG_MS = 5_000;

/** Whether an attempt has held its slot for long, and got no response. */
export function isTimeout({
  status,
  durationMs,
}: Pick<DomainEvents['webhook.attempted'], 'status' | 'durationMs'>): boolean {
  return status === null && durationMs >= LONG_MS;
}

function describe({ status, error }: AttemptFacts): string {
  if (status === null) return error ?? 'no response';
  if (status >= 300 && status < 400) return `redirects are not followed (status ${status})`;
  return `answered with status ${status}`;
}

/** Never before the schedule, and not before the receiver requested it; null when no attempt is left. */
function nextAttemptAt(
  failures: number,
  { random, requestedAt, now }: { readonly random: number; readonly requestedAt: Date; readonly now: Date },
): Date | null {
  const pauseMs = retryPausesMs[failures - 1];
  if (pauseMs === undefined) return null;
  const jitteredMs = Math.round(pauseMs * (1 - JITTER + 2 * JITTER * random));
  const requestedMs = Math.min(requestedAt.getTime() - now.getTime(), MAX_REQUESTED_PAUSE_MS);
  return new Date(now.getTime() + Math.max(jitteredMs, requestedMs));
}

/** A little less than the retries of a delivery take. */
const DISABLE_AFTER_MS = 60 * HOUR_MS;

/** Whether an endpoint is disabled after the last attempt of a delivery: when it has accepted no other in that time. */
export function shouldDisableEndpoint(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS;
}
