import { open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { CommitMark, syncFolder } from './durable-file.js';
import { reportingDamage, StoreDamagedError } from './store-damaged-error.js';
import { commitMarkPath, deleteTable } from './table-files.js';
import {
  addChecksum,
  checkRow,
  createTablesSql,
  metaColumns,
  readMeta,
  rowChecksum,
  type RouteRow,
  type StorePosition,
  type TableMeta,
} from './table-schema.js';

/** Rows in ascending order of hosts (bytes of UTF-8) are the fastest. */
export type RouteRows = AsyncIterable<readonly RouteRow[]> | Iterable<readonly RouteRow[]>;

/** A table file that is to be written. */
export interface NewTable {
  readonly path: string;
  readonly tableId: string;
}

/**
 * Writes a new table file, durable when it returns. It is written without a journal, since nobody reads it before: after an
 * error or an abort it is incomplete. Its contact is void.
 * @throws an error when a host is repeated
 */
export async function loadTable(
  { path, tableId }: NewTable,
  position: StorePosition,
  rows: RouteRows,
  signal: AbortSignal,
): Promise<void> {
  await writeRows(path, { tableId, position, contactAtMs: null }, rows, signal);
  await CommitMark.create(commitMarkPath(path));
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}

type InitialMeta = Pick<TableMeta, 'tableId' | 'position' | 'contactAtMs'>;

async function writeRows(path: string, initial: InitialMeta, rows: RouteRows, signal: AbortSignal): Promise<void> {
  await deleteTable(path);
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }); // SQLite gives its other files the same mode
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; ${createTablesSql}`);
    db.exec('PRAGMA journal_mode = OFF; BEGIN');
    const insert = db.prepare('INSERT INTO routes (host, version, route, checksum) VALUES (?, ?, ?, ?)');
    let [hosts, routesChecksum] = [0, 0];
    for await (const part of rows) {
      signal.throwIfAborted();
      for (const row of part) {
        const checksum = rowChecksum(row);
        insert.run(row.host, row.version, row.route, checksum);
        routesChecksum = addChecksum(routesChecksum, checksum);
      }
      hosts += part.length;
    }
    signal.throwIfAborted();
    const meta = metaColumns({ ...initial, commits: 0, hosts, routesChecksum });
    db.prepare('INSERT INTO meta (id, content, checksum) VALUES (1, ?, ?)').run(...meta);
    // The file keeps this mode; every later connection opens it with a write-ahead log.
    db.exec('COMMIT; PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL');
  } finally {
    db.close();
  }
}

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
