import { RequestError } from '@pets/platform';

export interface Progress {
  /** What has to come in each window. */
  readonly bytes: number;
  readonly windowMs: number;
}

/** 26 kbit/s. The slowest links that people use are faster, and who keeps an upload open for less has to send it again. */
export const uploadProgress: Progress = { bytes: 32 * 1024, windowMs: 10_000 };

/**
 * Passes a body on for as long as it comes fast enough. Only the time is counted in which we wait for the client: while the
 * disk or the storage is slow, nothing is read, and that is not the client's fault.
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
  // It fails as well when the body is given up, and then nobody waits for it.
  pending.catch(() => undefined);
  for (;;) {
    const began = performance.now();
    const next = await Promise.race([pending, over(windowMs - window.waitedMs, pending)]);
    window.waitedMs += performance.now() - began;
    if (next !== OVER) return next;
    if (window.receivedBytes < bytes)
      throw new RequestError('timeout', `The upload brought less than ${bytes / 1024} KiB in ${windowMs / 1_000} s.`, {
        connection: 'close',
      });
    window.receivedBytes = 0;
    window.waitedMs = 0;
  }
}

const OVER = Symbol('the window is over');

/** Its timer does not outlast what is waited for. */
function over(ms: number, pending: Promise<unknown>): Promise<typeof OVER> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(OVER), Math.max(ms, 0));
    const clear = () => clearTimeout(timer);
    pending.then(clear, clear);
  });
}
