/**
 * Waits for `promise` for at most `limitMs`. The work behind the promise continues, so this is for work that cannot be
 * cancelled.
 * @param what names the work in the error
 */
export async function withTimeout<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: timed out after ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for `promise` until the signal is aborted, then rejects with its reason. The work behind the promise continues, since
 * others may wait for it too.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** How long to rest after work that took so many milliseconds, so that it runs at most a twentieth of the time. */
export function restAfter(tookMs: number): number {
  return 19 * tookMs;
}

/** Resolves after `ms`, or as soon as the signal is aborted. It never rejects: the caller checks the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/**
 * Lets one caller go on in each turn of the event loop, in the order of their calls. Work that begins many at a time makes
 * the turns long, and all other work of the process waits for the end of the turn.
 */
export function onePerTurn(): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const turn = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    last = turn;
    return turn;
  };
}

interface ExponentialDelay {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Doubles with each failure in a row, from `firstMs` up to `maxMs`. @param failures from 1 */
export function exponentialDelayMs({ firstMs, maxMs }: ExponentialDelay, failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS), maxMs);
}

/** Beyond every delay in use. It keeps a product with 0 from becoming NaN. */
const MAX_DOUBLINGS = 50;

interface RetryOptions {
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

/** Lets one loop wait for a signal. A signal that is set while nothing waits ends the next wait. */
export class AutoResetEvent {
  #isSet = false;
  #wake: (() => void) | null = null;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves when the event is set, or after `limitMs`. */
  async wait(limitMs: number): Promise<void> {
    if (!this.#isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isSet = false;
    this.#wake = null;
  }
}
