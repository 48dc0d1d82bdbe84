import { errorCode } from '../platform/error-code.js';

/** A file of the store is not what was written there. Nothing of it may be served. */
export class StoreDamagedError extends Error {
  override readonly name = 'StoreDamagedError';
}

/** Results of SQLite (https://sqlite.org/rescode.html) that a sound file of ours cannot cause, since our SQL is constant. */
const damageCodes: ReadonlySet<unknown> = new Set([
  1, // SQLITE_ERROR: a table is missing
  11, // SQLITE_CORRUPT
  26, // SQLITE_NOTADB
  266, // SQLITE_IOERR_READ: a new file is on other sectors
  522, // SQLITE_IOERR_SHORT_READ
  779, // SQLITE_CORRUPT_INDEX
  8458, // SQLITE_IOERR_CORRUPTFS
]);

/**
 * Runs a step on a file of the store.
 * @throws StoreDamagedError when SQLite finds damage; other errors, such as a full disk, as they are
 */
export function reportingDamage<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new StoreDamagedError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isDamage(error: unknown): boolean {
  if (error instanceof StoreDamagedError) return false;
  if (errorCode(error) === 'ERR_OUT_OF_RANGE') return true; // an integer that we would not have written
  return typeof error === 'object' && error !== null && 'errcode' in error && damageCodes.has(error.errcode);
}
