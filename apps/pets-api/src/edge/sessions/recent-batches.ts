import { encodeFrom, type EncodedPart } from './encode-batch.js';

/** What the changes of a few minutes take, and less than a session may have unsent. */
const MAX_BYTES = 4 * 1024 * 1024;

/** All changes in (after, version], in parts. */
export interface RecentBatch {
  readonly after: number;
  readonly version: number;
  readonly parts: readonly EncodedPart[];
}

/** The newest batches without a gap, for sessions that join. */
export class RecentBatches {
  #batches: RecentBatch[] = [];
  #bytes = 0;

  /** Adds the batch after the newest one. */
  add(batch: RecentBatch): void {
    this.#batches.push(batch);
    this.#bytes += bytesOf(batch);
    while (this.#bytes > MAX_BYTES) {
      const oldest = this.#batches.shift();
      if (oldest !== undefined) this.#bytes -= bytesOf(oldest);
    }
  }

  clear(): void {
    this.#batches = [];
    this.#bytes = 0;
  }

  /** The messages for a reader at a version; undefined when they reach less far back. */
  since(version: number): EncodedPart[] | undefined {
    const first = this.#batches.findIndex((batch) => batch.after <= version && version < batch.version);
    if (first === -1) return undefined;
    return this.#batches.slice(first).flatMap((batch) => {
      if (batch.after >= version) return batch.parts;
      return batch.parts.map((part) =>
        encodeFrom(part, version, part.version === batch.version ? part.version : version),
      );
    });
  }
}

function bytesOf({ parts }: RecentBatch): number {
  return parts.reduce((sum, part) => sum + part.bytes.length, 0);
}
