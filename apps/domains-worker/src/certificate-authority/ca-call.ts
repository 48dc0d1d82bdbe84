import { AsyncLocalStorage } from 'node:async_hooks';
import * as acme from 'acme-client';
import { CaError, parseRetryAfter, problemType, readProblem } from './ca-problem.js';

/**
 * acme-client does the protocol; this is how it is called. The client has one axios instance for the whole process and
 * tells of a refusal only its text, so the instance is set up here once: each request carries the signal of the call it
 * belongs to, and each refusal is thrown as a `CaError` with its problem document.
 */

/** A single answer; the whole attempt is bounded by the job. */
const REQUEST_LIMIT_MS = 10_000;
const MAX_ANSWER_BYTES = 1_000_000;
/** Refused nonces are the protocol's normal course (RFC 8555 §6.5): the client tries each request six times by itself. */
const NONCE_ATTEMPTS = 4;

interface Call {
  readonly signal: AbortSignal;
  retryAt: Date | null;
  /** Whether the last answer refused the nonce. */
  isNonceRefused: boolean;
}
const calls = new AsyncLocalStorage<Call>();

Object.assign(acme.axios.defaults, {
  timeout: REQUEST_LIMIT_MS,
  maxContentLength: MAX_ANSWER_BYTES,
  validateStatus: null,
});

// The client's own retry after 429 and 5xx sends the used nonce again and sleeps beyond any deadline; and without
// retries left it loses the reason of a network error. So it is taken out, not only switched off.
acme.axios.interceptors.request.clear();
acme.axios.interceptors.response.clear();

acme.axios.interceptors.request.use((config) => {
  const signal = calls.getStore()?.signal;
  return signal === undefined ? config : Object.assign(config, { signal });
});

acme.axios.interceptors.response.use((response) => {
  const retryAfter: unknown = response.headers['retry-after'];
  const problem = response.status >= 400 ? readProblem(response.data, response.status, retryAfter, new Date()) : null;
  const isNonceRefused = problem?.type === problemType.badNonce;
  const call = calls.getStore();
  if (call !== undefined) Object.assign(call, { isNonceRefused, retryAt: parseRetryAfter(retryAfter, new Date()) });
  // The client sees a refused nonce itself: its answer brings the next one.
  if (problem !== null && !isNonceRefused) throw new CaError(problem);
  return response;
});

export interface CaAnswer<T> {
  readonly value: T;
  /** What the last answer's `Retry-After` said. */
  readonly retryAt: Date | null;
}

/**
 * Runs one step at the CA. A step whose nonce was refused has had no effect, and is run again with a fresh one.
 * @throws CaError when the CA refuses
 */
export async function callCa<T>(signal: AbortSignal, step: () => Promise<T>): Promise<CaAnswer<T>> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const call: Call = { signal, retryAt: null, isNonceRefused: false };
    try {
      const value = await calls.run(call, step);
      return { value, retryAt: call.retryAt };
    } catch (error) {
      if (!call.isNonceRefused || attempt === NONCE_ATTEMPTS) throw error;
    }
  }
}

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 2_000;

/** Asks until the answer is final: soon at first, since a person waits for the result; never sooner than the CA allows. */
export async function pollCa<T>(
  signal: AbortSignal,
  step: () => Promise<T>,
  isFinal: (value: T) => boolean,
): Promise<T> {
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 1.6, LONGEST_POLL_MS)) {
    const { value, retryAt } = await callCa(signal, step);
    if (isFinal(value)) return value;
    await sleep(Math.max(pauseMs, (retryAt?.getTime() ?? 0) - Date.now()), signal);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
