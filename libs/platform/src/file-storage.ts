import type { Readable } from 'node:stream';

/** First and last byte, both included, from 0. */
export interface ByteSpan {
  readonly first: number;
  readonly last: number;
}

/** Where deployed files are kept, by key. What is written under a key appears whole or not at all. */
export interface FileStorage {
  /**
   * The size of a file in bytes; undefined where there is none.
   * @throws Error when the storage cannot tell
   */
  find(key: string): Promise<number | undefined>;
  /**
   * A file's bytes, or some of them. Whoever stops reading destroys the stream.
   * @throws Error also when there is no such file
   */
  read(key: string, span?: ByteSpan): Promise<Readable>;
  write(key: string, content: string | Uint8Array): Promise<void>;
  copyFromFs(path: string, key: string): Promise<void>;
  /** Deletes a file; nothing happens where there is none. Once the signal fires, nothing is deleted any more. */
  delete(key: string, signal: AbortSignal): Promise<void>;
  /** Deletes what processes that died were writing, before a time. @returns how many files */
  deleteAbandoned(before: Date): Promise<number>;
}

/** Everything a stream brings. @throws Error when that is not exactly as many bytes as expected */
export async function readWhole(stream: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let seen = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer); // no encoding is set, so chunks are bytes
    seen += (chunk as Buffer).length;
    if (seen > bytes) break;
  }
  if (seen !== bytes) throw new Error(`a stored file has not the ${bytes} bytes that it should have`);
  return Buffer.concat(chunks, bytes);
}
