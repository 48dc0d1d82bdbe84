import { exponentialDelayMs, pause } from '@pets/async';
import type { CaAnswer } from '../certificate-authority/acme-server.js';
import { CaError, plainProblem } from '../certificate-authority/ca-problem.js';

/** The CA has not finished, and a later attempt can ask again. */
export class OrderUnfinishedError extends CaError {
  /** @param retryAt the time before which the CA wants no request; null if it named none */
  constructor(readonly retryAt: Date | null) {
    const problem = plainProblem('the CA has not finished and asks to retry later');
    super({ ...problem, retryAt: retryAt?.toISOString() ?? null });
  }
}

/** The CA has decided: the order gives no certificate. */
export class OrderEndedError extends CaError {}

const POLL_DELAY = { firstMs: 20, maxMs: 2_000 };

/** How long an attempt waits for the CA if a later one can continue the order: a slow CA must not occupy workers. */
export const CONTINUED_AFTER_MS = 5_000;
/** How long it waits otherwise. */
export const MAX_WAIT_MS = 30_000;

/**
 * Polls until the answer is final: quickly at first, since a person waits for the result, but never sooner than the CA
 * allows.
 * @param answer the latest answer of the CA
 * @throws CaError when the CA refuses
 * @throws OrderUnfinishedError when the wait is, or would be, longer than `maxWaitMs`
 */
export async function pollCa<T>(
  answer: CaAnswer<T>,
  poll: () => Promise<CaAnswer<T>>,
  { isFinal, maxWaitMs }: { readonly isFinal: (value: T) => boolean; readonly maxWaitMs: number },
  signal: AbortSignal,
): Promise<T> {
  const endsAtMs = performance.now() + maxWaitMs;
  for (let polls = 1; !isFinal(answer.value); polls += 1) {
    const requestedMs = answer.retryAt === null ? 0 : answer.retryAt.getTime() - Date.now();
    const delayMs = Math.max(exponentialDelayMs(POLL_DELAY, polls), requestedMs);
    if (performance.now() + delayMs > endsAtMs) throw new OrderUnfinishedError(answer.retryAt);
    await pause(delayMs, signal);
    signal.throwIfAborted();
    answer = await poll();
  }
  return answer.value;
}
