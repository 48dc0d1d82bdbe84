import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a machine that does other work as well: only a wait for what never happens takes so long. */
const DEFAULT_LIMIT_MS = 30_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 200;
const PAUSE_GROWTH = 1.2;

export type WaitOptions = {
  /** The wait ends with an error after this long, whatever the condition does. */
  readonly timeoutMs?: number;
  /** End of the error message "gave up after … ms waiting for …". */
  readonly message?: string;
  /** The pause between two looks. By default it grows from 25 to 200 ms, so that a long wait takes little processor time. */
  readonly intervalMs?: number;
  /** Ends the wait at once, with the signal's reason. */
  readonly signal?: AbortSignal;
};

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/**
 * Waits until the condition answers something truthy, and returns that. A condition that throws counts as "not yet";
 * its last error is part of the message when time runs out, since it mostly says why.
 */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = DEFAULT_LIMIT_MS, message = 'a condition', intervalMs, signal }: WaitOptions = {},
): Promise<Truthy<T>> {
  const deadline = Date.now() + timeoutMs;
  let lastError: unknown;
  let pauseMs = intervalMs ?? FIRST_PAUSE_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const value = await before(deadline, condition());
      if (value) return value as Truthy<T>; // what the line says, which the compiler does not follow for a generic
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() + pauseMs >= deadline) break;
    await sleep(pauseMs, undefined, { signal });
    if (intervalMs === undefined) pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS);
  }
  const why = lastError instanceof Error ? ` (last: ${lastError.message})` : '';
  throw new Error(`gave up after ${timeoutMs} ms waiting for ${message}${why}`, { cause: lastError });
}

/**
 * Waits for a process to be ready, and ends with the error of `died` when that comes first. The wait is over then: it must not
 * keep this process alive.
 */
export async function whileAlive<T>(died: Promise<never>, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([wait(over.signal), died]);
  } finally {
    over.abort();
  }
}

/** A condition that hangs must not outlive the limit of the wait around it. */
async function before<T>(deadline: number, value: T | Promise<T>): Promise<T> {
  if (!(value instanceof Promise)) return value;
  const timer = new AbortController();
  const expiry = sleep(Math.max(0, deadline - Date.now()), undefined, { signal: timer.signal }).then(() => {
    throw new Error('the last look did not come back in time');
  });
  try {
    return await Promise.race([value, expiry]);
  } finally {
    expiry.catch(ignoreAbort);
    timer.abort();
  }
}

function ignoreAbort(): void {
  // The timer is no longer wanted; its rejection carries no news.
}
