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
