import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { EdgeRoute } from '@pets/contracts/edge-feed';
import type { Logger } from '@pets/platform';
import { CommitMark } from './durable-file.js';
import { positionAfter, summarize, type FeedBatch, type RouteChange, type TableChange } from './route-changes.js';
import { reportingDamage, StoreDamagedError } from './store-damaged-error.js';
import { commitMarkPath } from './table-files.js';
import {
  addChecksum,
  checkRow,
  metaColumns,
  parseRoute,
  readMeta,
  rowChecksum,
  subtractChecksum,
  type TableMeta,
} from './table-schema.js';

/** How long a transaction waits for a process that repairs the index of the write-ahead log after a crash. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The one connection that writes a table file. Each method is one durable transaction; after an error the table and `meta`
 * are what they were before it.
 */
export class TableWriter {
  readonly #db: DatabaseSync;
  readonly #mark: CommitMark;
  readonly #select: StatementSync;
  readonly #replace: StatementSync;
  readonly #delete: StatementSync;
  readonly #updateMeta: StatementSync;
  #meta: TableMeta;

  /** @throws StoreDamagedError when it is not the table with this id, or has lost transactions */
  constructor(
    readonly path: string,
    tableId: string,
    log: Logger,
  ) {
    const commits = CommitMark.readMark(commitMarkPath(path));
    if (commits === undefined) throw new StoreDamagedError('the commit mark is missing or damaged');
    if (!existsSync(path)) throw new StoreDamagedError('the table file is missing');
    this.#db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      this.#meta = reportingDamage(() => openTable(this.#db));
      if (this.#meta.tableId !== tableId) throw new StoreDamagedError('the file is of another table');
      if (this.#meta.commits < commits) {
        throw new StoreDamagedError(`${commits - this.#meta.commits} committed transactions are missing`);
      }
      this.#select = this.#db.prepare('SELECT version, route, checksum FROM routes WHERE host = ?');
      this.#replace = this.#db.prepare('REPLACE INTO routes (host, version, route, checksum) VALUES (?, ?, ?, ?)');
      this.#delete = this.#db.prepare('DELETE FROM routes WHERE host = ?');
      this.#updateMeta = this.#db.prepare('UPDATE meta SET content = ?, checksum = ? WHERE id = 1');
      this.#mark = new CommitMark(commitMarkPath(path), log);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get meta(): TableMeta {
    return this.#meta;
  }

  /** Applies a batch that follows the position of the table. */
  apply(batch: FeedBatch): TableChange {
    const position = positionAfter(batch);
    if (batch.entries.length === 0 && isSame(position, this.#meta.position)) return summarize([]);
    return this.#transact(() => {
      // A host may be repeated; its last entry counts.
      const entries = new Map(batch.entries.map((entry) => [entry.host, entry]));
      let { hosts, routesChecksum } = this.#meta;
      const changes: RouteChange[] = [];
      for (const { host, version, route } of entries.values()) {
        const was = this.#find(host);
        if (was !== undefined) {
          hosts -= 1;
          routesChecksum = subtractChecksum(routesChecksum, was.checksum);
        }
        if (route !== null) {
          hosts += 1;
          routesChecksum = addChecksum(routesChecksum, this.#put(host, version, route));
        } else if (was !== undefined) {
          this.#delete.run(host);
        }
        changes.push({ host, was: was && parseRoute(was.route), is: route ?? undefined });
      }
      return [{ ...this.#meta, position, hosts, routesChecksum }, summarize(changes)];
    });
  }

  /** Null makes it void. */
  saveContact(contactAtMs: number | null): void {
    if (contactAtMs === this.#meta.contactAtMs) return;
    this.#transact(() => [{ ...this.#meta, contactAtMs }, undefined]);
  }

  /** @throws StoreDamagedError when the row is not what was written */
  find(host: string): EdgeRoute | undefined {
    return reportingDamage(() => {
      const row = this.#find(host);
      return row && parseRoute(row.route);
    });
  }

  close(): void {
    this.#db.close();
    this.#mark.close();
  }

  #find(host: string) {
    const row = this.#select.get(host);
    return row && checkRow(host, row);
  }

  #put(host: string, version: number, route: EdgeRoute): number {
    const row = { host, version, route: JSON.stringify(route) };
    const checksum = rowChecksum(row);
    this.#replace.run(host, version, row.route, checksum);
    return checksum;
  }

  /** @throws StoreDamagedError also when another process has written, since this one's `meta` is outdated then */
  #transact<T>(change: () => [TableMeta, T]): T {
    return reportingDamage(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        const stored = readMeta(this.#db);
        if (stored.commits !== this.#meta.commits) throw new StoreDamagedError('another process has changed it');
        const [changed, result] = change();
        const meta = { ...changed, commits: changed.commits + 1 };
        this.#updateMeta.run(...metaColumns(meta));
        this.#db.exec('COMMIT');
        this.#meta = meta;
        this.#mark.advance(meta.commits);
        return result;
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK'); // SQLite has ended it after some errors
        throw error;
      }
    });
  }
}

function openTable(db: DatabaseSync): TableMeta {
  // A commit waits for the disk. 2 000 pages are 4 MB: pages that change often are copied to the table once for all changes.
  db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 8388608;
    PRAGMA cell_size_check = ON`);
  return readMeta(db);
}

function isSame(a: TableMeta['position'], b: TableMeta['position']): boolean {
  return isDeepStrictEqual(a, b);
}
