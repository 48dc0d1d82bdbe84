import { RequestError } from '@pets/platform';

export interface Progress {
  /** Minimum of bytes to receive in each window. */
  readonly bytes: number;
  readonly windowMs: number;
}

/** 26 kbit/s: less than the slowest links in use, so that a client cannot keep an upload open for long. */
export const uploadProgress: Progress = { bytes: 32 * 1024, windowMs: 10_000 };

/**
 * Passes on a body that arrives fast enough. Only the time spent waiting for the client counts: while our disk or storage is
 * slow, nothing is read.
 * @throws RequestError `timeout`
 */
export async function* requireProgress(body: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  const window = { receivedBytes: 0, waitedMs: 0 };
  for (;;) {
    const next = await waitFor(chunks.next(), window, progress);
    if (next.done === true) return;
    window.receivedBytes += next.value.length;
    yield next.value;
  }
}

async function waitFor<T>(
  pending: Promise<T>,
  window: { receivedBytes: number; waitedMs: number },
  { bytes, windowMs }: Progress,
): Promise<T> {
  // It also rejects when the body is abandoned, and nothing awaits it then.
  pending.catch(() => undefined);
  for (;;) {
    const began = performance.now();
    const next = await Promise.race([pending, over(windowMs - window.waitedMs, pending)]);
    window.waitedMs += performance.now() - began;
    if (next !== OVER) return next;
    if (window.receivedBytes < bytes)
      throw new RequestError(
        'timeout',
        `The upload is too slow: less than ${bytes / 1024} KiB in ${windowMs / 1_000} s.`,
        {
          connection: 'close',
        },
      );
    window.receivedBytes = 0;
    window.waitedMs = 0;
  }
}

const OVER = Symbol('the window is over');

/** Clears its timer when `pending` settles. */
function over(ms: number, pending: Promise<unknown>): Promise<typeof OVER> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(OVER), Math.max(ms, 0));
    const clear = () => clearTimeout(timer);
    pending.then(clear, clear);
  });
}
