import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RequestError } from '@pets/platform';
import type { ImportFile } from './parse-import.js';

/** Message to the thread: a file begins, or its next chunk, null after the last one. */
export type ParserMessage =
  | { readonly file: number; readonly format: ImportFile; readonly piece: number }
  | { readonly file: number; readonly chunk: Uint8Array | null | 'abandoned' };

/** From the thread: what a chunk has completed; the thread waits for the next one unless the file is done. */
export interface ParserAnswer {
  readonly file: number;
  readonly pieces: readonly ParsedPiece[];
  readonly isDone?: boolean;
  /** A fault of the file. */
  readonly fault?: string;
  /** One of ours. */
  readonly error?: string;
}

/** Lines as JSON, as they are stored. */
export interface ParsedPiece {
  readonly json: string;
  readonly lines: number;
}

/** Files at a time: each takes a chunk and a piece of memory. An organization has few. */
const MAX_FILES = 256;
const HEAP_MIB = 256;
/** A chunk takes milliseconds, and waits for one of each other file. */
const ANSWER_LIMIT_MS = 30_000;

/**
 * Parses imports in one thread of the process, since a file takes seconds. Files take turns: each has one chunk under way.
 * So strangers' files never use more than one CPU, and memory is bounded.
 */
export class ImportParser {
  #thread: Worker | null = null;
  #next = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<ParserAnswer>>();

  /**
   * The pieces of a file.
   * @param piece lines of each
   * @throws RequestError `invalid_import`, `unavailable`
   */
  async *parse(body: AsyncIterable<Uint8Array>, format: ImportFile, piece: number): AsyncGenerator<ParsedPiece> {
    if (this.#waiting.size >= MAX_FILES)
      throw new RequestError('unavailable', 'Too many files are uploaded at the moment.', {
        'retry-after': '10',
      });
    const file = this.#next++;
    const thread = (this.#thread ??= this.#start());
    const ask = async (message: ParserMessage): Promise<ParserAnswer> => {
      if (thread !== this.#thread) throw new Error('the thread of imports has ended');
      const answer = Promise.withResolvers<ParserAnswer>();
      this.#waiting.set(file, answer);
      thread.postMessage(message);
      const timer = setTimeout(() => answer.reject(new Error('the thread of imports is stuck')), ANSWER_LIMIT_MS);
      return answer.promise.finally(() => clearTimeout(timer));
    };
    let isDone = false;
    const read = function* (answer: ParserAnswer): Generator<ParsedPiece> {
      isDone = answer.isDone ?? false;
      yield* answer.pieces;
      if (answer.fault !== undefined) throw new RequestError('invalid_import', answer.fault);
      if (answer.error !== undefined) throw new Error(answer.error);
    };
    try {
      yield* read(await ask({ file, format, piece }));
      for await (const chunk of body) yield* read(await ask({ file, chunk }));
      yield* read(await ask({ file, chunk: null }));
    } finally {
      this.#waiting.delete(file);
      if (!isDone) thread.postMessage({ file, chunk: 'abandoned' } satisfies ParserMessage);
    }
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    // Tests run the sources, whose file extension differs from that of the compiled files.
    const { pathname } = new URL(import.meta.url);
    const file = new URL(`./import-parser-thread${extname(pathname)}`, import.meta.url);
    const thread = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
    thread.unref();
    thread.on('message', (answer: ParserAnswer) => this.#waiting.get(answer.file)?.resolve(answer));
    const fail = (error: Error) => {
      if (this.#thread === thread) this.#thread = null;
      for (const waiting of this.#waiting.values()) waiting.reject(error);
    };
    thread.on('error', fail);
    thread.on('exit', () => fail(new Error('the thread of imports has ended')));
    return thread;
  }
}
