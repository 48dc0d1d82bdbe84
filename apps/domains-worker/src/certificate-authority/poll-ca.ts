import { exponentialDelayMs, pause } from '@pets/async';
import type { CaAnswer } from './acme-server.js';
import { CaError, plainProblem } from './ca-problem.js';

const POLL_DELAY = { firstMs: 20, maxMs: 2_000 };
/** A CA that wants to be asked later than this is not waited for within an attempt. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Asks until the answer is final: soon at first, since a person waits for the result; never sooner than the CA allows.
 * @param answer what the CA has said already
 * @throws CaError when the CA refuses, or puts off for too long: then with the time to come back
 */
export async function pollCa<T>(
  answer: CaAnswer<T>,
  ask: () => Promise<CaAnswer<T>>,
  isFinal: (value: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let polls = 1; !isFinal(answer.value); polls += 1) {
    const askedForMs = answer.retryAt === null ? 0 : answer.retryAt.getTime() - Date.now();
    if (askedForMs > LONGEST_WAIT_MS) {
      const problem = plainProblem('the CA is not done and wants to be asked later');
      throw new CaError({ ...problem, retryAt: answer.retryAt?.toISOString() ?? null });
    }
    await pause(Math.max(exponentialDelayMs(POLL_DELAY, polls), askedForMs), signal);
    signal.throwIfAborted();
    answer = await ask();
  }
  return answer.value;
}
