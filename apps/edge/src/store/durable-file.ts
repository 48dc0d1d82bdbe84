import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '@pets/platform';
import { errorCode } from '../platform/error-code.js';

/** Whether a written file must survive only a crash of this process, or also one of the machine. */
type Outlasts = 'process' | 'machine';

/**
 * Replaces the content of a file atomically: after a crash it has the old or the new content. With `process` this does not
 * hold for a crash of the machine, but the call does not wait for the disk. Only the owner may read the file.
 */
export async function replaceFile(path: string, content: string, outlasts: Outlasts = 'machine'): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      if (outlasts === 'machine') await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (outlasts === 'machine') await syncFolder(dirname(path));
}

/** Replaces a file as `replaceFile` does, with a checksum in the first line, because disks can corrupt data. */
export async function replaceCheckedFile(path: string, content: string): Promise<void> {
  await replaceFile(path, `${digestOf(content)}\n${content}`);
}

/** The content that `replaceCheckedFile` wrote, from the text of its file; undefined when the checksum does not match. */
export function checkedContent(text: string): string | undefined {
  const end = text.indexOf('\n');
  const content = text.slice(end + 1);
  return text.slice(0, Math.max(end, 0)) === digestOf(content) ? content : undefined;
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Makes renames and removals in a folder survive a crash of the machine. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

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
