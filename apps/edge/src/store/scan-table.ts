import { setImmediate } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { reportingDamage, StoreDamagedError } from './store-damaged-error.js';
import { addChecksum, checkRow, readMeta } from './table-schema.js';

/** How long the event loop is held at a time. */
const SLICE_MS = 4;
/** After so many rows the time is read. */
const ROWS_PER_CHECK = 64;

/**
 * Reads every row of a table at one moment, in slices of a few milliseconds, and compares the checksums and the order. Changes
 * go on meanwhile, but the write-ahead log grows until the end.
 * @throws StoreDamagedError at the first damage; the reason of the signal when it is aborted
 */
export async function scanTable(path: string, signal: AbortSignal): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  try {
    const { meta, rows } = reportingDamage(() => {
      db.exec('BEGIN; PRAGMA cell_size_check = ON');
      const select = db.prepare('SELECT host, version, route, checksum FROM routes');
      return { meta: readMeta(db), rows: select.iterate() };
    });
    const read = { hosts: 0, checksum: 0, last: '' };
    let isDone = false;
    while (!isDone) {
      signal.throwIfAborted();
      isDone = reportingDamage(() => readSlice(rows, read));
      await setImmediate();
    }
    if (read.hosts !== meta.hosts) throw new StoreDamagedError(`${read.hosts} hosts instead of ${meta.hosts}`);
    if (read.checksum !== meta.routesChecksum) throw new StoreDamagedError('checksum mismatch of the table');
  } finally {
    db.close();
  }
}

function readSlice(
  rows: Iterator<Readonly<Record<string, unknown>>>,
  read: { hosts: number; checksum: number; last: string },
): boolean {
  const endsAt = performance.now() + SLICE_MS;
  for (;;) {
    const next = rows.next();
    if (next.done) return true;
    const host = String(next.value['host']);
    if (read.hosts > 0 && !isAscending(read.last, host)) throw new StoreDamagedError(`${host} is out of order`);
    read.checksum = addChecksum(read.checksum, checkRow(host, next.value).checksum);
    read.hosts += 1;
    read.last = host;
    if (read.hosts % ROWS_PER_CHECK === 0 && performance.now() > endsAt) return false;
  }
}

/** SQLite orders by the bytes of UTF-8, which JavaScript does too but for characters that are in no host name. */
function isAscending(a: string, b: string): boolean {
  return a < b || Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}
