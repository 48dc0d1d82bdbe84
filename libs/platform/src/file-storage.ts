import { addAbortSignal, type Readable } from 'node:stream';
import { abortable } from '@pets/async';
import type { Disk } from 'flydrive';

/** First and last byte, both included, from 0. */
export interface ByteSpan {
  readonly first: number;
  readonly last: number;
}

/** The storage of deployed files by key. A write under a key is atomic. */
export interface FileStorage {
  /**
   * The size of a file in bytes; undefined when it does not exist.
   * @throws Error when the storage does not answer
   */
  find(key: string): Promise<number | undefined>;
  /**
   * A file's bytes, or a range of them. Destroy the stream to stop reading.
   * @throws Error also when the file does not exist
   */
  read(key: string, span?: ByteSpan): Promise<Readable>;
  /**
   * Creates or replaces a file.
   * @param signal after its abort the file stays as it is, unless the storage had received everything
   */
  write(key: string, content: string | Uint8Array, signal?: AbortSignal): Promise<void>;
  copyFromFs(path: string, key: string): Promise<void>;
  /** Deletes a file, if it exists. After the abort of the signal nothing is deleted. */
  delete(key: string, signal: AbortSignal): Promise<void>;
  /** Deletes unfinished files of dead processes that are older than `before`. @returns their number */
  deleteAbandoned(before: Date): Promise<number>;
}

/**
 * Opens a file whose stream ends with the signal, even if the storage does not answer.
 * @throws the reason of the signal after its abort
 */
export async function readUntilAborted(
  storage: Pick<FileStorage, 'read'>,
  key: string,
  signal: AbortSignal,
  span?: ByteSpan,
): Promise<Readable> {
  signal.throwIfAborted();
  const opening = storage.read(key, span);
  try {
    return addAbortSignal(signal, await abortable(opening, signal));
  } catch (error) {
    // The storage may answer after the abort.
    opening.then((stream) => stream.destroy()).catch(() => undefined);
    throw error;
  }
}

/** Reads a complete stream. @throws Error when it does not have exactly the expected number of bytes */
export async function readWhole(stream: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer); // no encoding is set, so chunks are bytes
    size += (chunk as Buffer).length;
    if (size > bytes) break;
  }
  if (size !== bytes) throw new Error(`a stored file does not have the expected ${bytes} bytes`);
  return Buffer.concat(chunks, bytes);
}

/** The size of a file; undefined when the error says that it does not exist. */
export async function sizeOf(
  disk: Disk,
  key: string,
  isAbsent: (error: unknown) => boolean,
): Promise<number | undefined> {
  try {
    return (await disk.getMetaData(key)).contentLength;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** A property of the cause of an error: the library wraps the errors of the system and the service. */
export function causeOf(error: unknown, property: string): unknown {
  return memberOf(memberOf(error, 'cause'), property);
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
