import { open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CommitMark } from './commit-mark.js';
import { syncFolder } from './durable-file.js';
import { commitMarkPath, deleteTable } from './table-files.js';
import {
  addChecksum,
  createTablesSql,
  metaColumns,
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
