import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Logger } from '@pets/platform';
import { errorCode } from '../platform/error-code.js';
import { replaceFile } from './durable-file.js';

/** The file always has this length, so that it is overwritten in place, within one sector. */
const MARK_BYTES = 64;

/**
 * The number of transactions that a table file contains at least, in a file beside it. SQLite takes a write-ahead log that
 * was cut off for one that ended there, and would bring back an older table with an older but perhaps valid contact. The
 * mark is written after each commit without a sync: it survives the end of the process, and never is ahead of the table.
 */
export class CommitMark {
  readonly #file: number;

  constructor(
    path: string,
    private readonly log: Logger,
  ) {
    this.#file = openSync(path, 'r+');
  }

  static async create(path: string): Promise<void> {
    await replaceFile(path, encode(0));
  }

  /** @returns undefined when it is missing or damaged */
  static readMark(path: string): number | undefined {
    try {
      const text = readFileSync(path, 'utf8');
      const commits = Number.parseInt(text, 10);
      return text === encode(commits) ? commits : undefined;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return undefined;
    }
  }

  advance(commits: number): void {
    try {
      writeSync(this.#file, encode(commits), 0);
    } catch (error) {
      // The transaction is durable; an older mark only finds less damage.
      this.log.warn({ err: error }, 'commit mark of the route store not written');
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

function encode(commits: number): string {
  const digits = String(commits);
  return `${`${digits} ${crc32(digits)}`.padEnd(MARK_BYTES - 1)}\n`;
}
