import { pause } from './waiting.js';

export interface ExponentialDelay {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Doubles with each failure in a row, from `firstMs` up to `maxMs`. @param failures from 1 */
export function exponentialDelayMs({ firstMs, maxMs }: ExponentialDelay, failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS), maxMs);
}

/** Beyond every delay in use. It keeps a product with 0 from becoming NaN. */
const MAX_DOUBLINGS = 50;

export interface RetryOptions {
  /** The pause after the n-th failure in a row, from 1; null when there is no further attempt. */
  readonly nextDelayMs: (failures: number, error: unknown) => number | null;
  /** Ends the current pause. One last attempt follows, and its failure is final. */
  readonly signal?: AbortSignal;
}

/** Repeats an attempt until it succeeds. @throws the error of the last attempt */
export async function retry<T>(attempt: () => Promise<T>, { nextDelayMs, signal }: RetryOptions): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delayMs = nextDelayMs(failures, error);
      if (delayMs === null || signal?.aborted === true) throw error;
      await pause(delayMs, signal);
    }
  }
}
