import type { Logger } from '@pets/platform';

export interface Sweep {
  /** Rows a statement: each is short, so that no vacuum or backup waits for it. */
  readonly batch: number;
  /** Logged when it fails; the next sweep is soon enough. */
  readonly failure: string;
  /** @returns how many rows it has cleared, at most `limit` */
  readonly clear: (limit: number) => Promise<number>;
}

/** Clears in batches, until one is not full or the signal is aborted. It never rejects. @returns how many rows were cleared */
export async function sweep(
  { batch, failure, clear }: Sweep,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<number> {
  let total = 0;
  try {
    while (!signal.aborted) {
      const cleared = await clear(batch);
      total += cleared;
      if (cleared < batch) break;
    }
  } catch (error) {
    log.warn({ err: error }, failure);
  }
  return total;
}
