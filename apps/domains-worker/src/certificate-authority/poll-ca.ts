import { setTimeout as sleep } from 'node:timers/promises';
import type { CaAnswer } from './acme-server.js';
import { CaError, plainProblem } from './ca-problem.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;
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
  for (let pauseMs = FIRST_PAUSE_MS; !isFinal(answer.value); pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const askedForMs = answer.retryAt === null ? 0 : answer.retryAt.getTime() - Date.now();
    if (askedForMs > LONGEST_WAIT_MS) {
      const problem = plainProblem('the CA is not done and wants to be asked later');
      throw new CaError({ ...problem, retryAt: answer.retryAt?.toISOString() ?? null });
    }
    await pause(Math.max(pauseMs, askedForMs), signal);
    answer = await ask();
  }
  return answer.value;
}

/** @throws the signal's reason, for which a timer alone would give an error of its own */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
