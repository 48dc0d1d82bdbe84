import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import { sumOfFrequent } from './system-calls.js';
import type { Count } from './reading.js';

/** Settings of a server whose work can be counted: nothing happens in it but what it is asked for. */
export const meteredPostgres: Readonly<Record<string, string>> = {
  shared_preload_libraries: 'pg_stat_statements',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  full_page_writes: 'off',
};

/** Work of PostgreSQL for a number of equal operations. */
export class DatabaseTally {
  operations = 0;
  transactions = 0;
  rows = 0;
  indexEntries = 0;
  walBytes = 0;
  /** Calls of each statement, by PostgreSQL's id of it. */
  readonly statements = new Map<string, number>();

  /** For one operation. */
  counts(operation: string): readonly Count[] {
    const count = (name: string, value: number): Count => ({ kind: 'count', name: `${operation}/${name}`, value });
    return [
      count('statements', sumOfFrequent([...this.statements.values()], this.operations)),
      count('transactions', this.transactions / this.operations),
      count('rows', this.rows / this.operations),
      count('index-entries', this.indexEntries / this.operations),
      count('wal-bytes', this.walBytes / this.operations),
    ];
  }
}

/** The API goes on when an operation already looks complete: it notifies after its commit. */
const QUIET_MS = 120;
/** Work that goes on for longer belongs to no operation. */
const SETTLE_LIMIT_MS = 1_000;
const SUBJECT_LIMIT_MS = 10_000;

interface Snapshot {
  readonly lsn: string;
  readonly calls: ReadonlyMap<string, number>;
}

/**
 * Counts what others do in a database, from `pg_stat_statements` and from the records of the write-ahead log, which are exact.
 * What the meter's own client does is not counted.
 */
export class DatabaseMeter {
  readonly #client: pg.Client;
  readonly #ownTransactions: string[] = [];

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<DatabaseMeter> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create extension if not exists pg_stat_statements');
    await client.query('create extension if not exists pg_walinspect');
    await client.query(`set pg_stat_statements.track = 'none'`);
    return new DatabaseMeter(client);
  }

  get client(): pg.Client {
    return this.#client;
  }

  /**
   * Counts what happens during some operations. They may be inside of others, with a tally each.
   * @param count how many operations the work consists of
   */
  async during(tally: DatabaseTally, work: () => Promise<unknown>, count = 1): Promise<void> {
    const before = await this.#snapshot();
    await work();
    await this.#untilQuiet();
    const after = await this.#snapshot();
    tally.operations += count;
    for (const [id, calls] of after.calls) {
      const more = calls - (before.calls.get(id) ?? 0);
      if (more > 0) tally.statements.set(id, (tally.statements.get(id) ?? 0) + more);
    }
    await this.#addWrites(tally, before.lsn, after.lsn);
  }

  /** Changes something for an operation, uncounted, in one transaction. */
  async change(statements: readonly (readonly [text: string, values?: unknown[]])[]): Promise<void> {
    await this.#client.query('begin');
    for (const [text, values] of statements) await this.#client.query(text, values);
    const { rows } = await this.#client.query<{ id: string }>('select pg_current_xact_id()::xid::text as id');
    await this.#client.query('commit');
    this.#ownTransactions.push(rows[0]?.id ?? '');
  }

  /** Waits until a query finds a row. */
  async untilFound(message: string, text: string, values: unknown[] = []): Promise<void> {
    await waitUntil(async () => (await this.#client.query(text, values)).rowCount !== 0, {
      ...{ message, timeoutMs: SUBJECT_LIMIT_MS, intervalMs: 2 },
    });
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #untilQuiet(): Promise<void> {
    const limit = Date.now() + SETTLE_LIMIT_MS;
    let [calls, quietSince] = [await this.#sumCalls(), Date.now()];
    while (Date.now() - quietSince < QUIET_MS && Date.now() < limit) {
      await sleep(QUIET_MS / 8);
      const now = await this.#sumCalls();
      if (now !== calls) [calls, quietSince] = [now, Date.now()];
    }
  }

  async #sumCalls(): Promise<string> {
    const { rows } = await this.#client.query<{ calls: string }>('select sum(calls) as calls from pg_stat_statements');
    return rows[0]?.calls ?? '';
  }

  async #snapshot(): Promise<Snapshot> {
    const { rows } = await this.#client.query<{ id: string; calls: string }>(callsOfStatements);
    const calls = new Map(rows.map((row) => [row.id, Number(row.calls)]));
    const at = await this.#client.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
    return { calls, lsn: at.rows[0]?.lsn ?? '' };
  }

  async #addWrites(tally: DatabaseTally, from: string, to: string): Promise<void> {
    if (from === to) return;
    await this.change([]); // a commit of ours brings the log to the disk up to here, where it can be read
    const { rows } = await this.#client.query<{ type: string; count: string; bytes: string }>(recordsByType, [
      from,
      to,
      this.#ownTransactions,
    ]);
    for (const { type, count, bytes } of rows) {
      if (type === 'Transaction/COMMIT') tally.transactions += Number(count);
      if (rowWrites.has(type)) tally.rows += Number(count);
      if (indexWrites.has(type)) tally.indexEntries += Number(count);
      if (!maintenance.test(type)) tally.walBytes += Number(bytes);
    }
  }
}

/** Utility statements but `begin` and `commit` count as well. */
const callsOfStatements = `
  select userid || '/' || queryid || '/' || toplevel as id, calls
  from pg_stat_statements where query !~* '^(begin|start transaction|commit|rollback|set local)'`;

const recordsByType = `
  select resource_manager || '/' || replace(record_type, '+INIT', '') as type, count(*) as count,
    sum(record_length - fpi_length) as bytes
  from pg_get_wal_records_info($1, $2)
  where xid::text <> all($3::text[])
  group by 1`;

const rowWrites: ReadonlySet<string> = new Set([
  'Heap/INSERT',
  'Heap/UPDATE',
  'Heap/HOT_UPDATE',
  'Heap/DELETE',
  'Heap2/MULTI_INSERT',
]);
/** A split writes the entry that it was made for. */
const indexWrites: ReadonlySet<string> = new Set([
  'Btree/INSERT_LEAF',
  'Btree/INSERT_POST',
  'Btree/SPLIT_L',
  'Btree/SPLIT_R',
  'Gin/INSERT',
]);
/** Clean-ups, page splits, and what the server writes in the background: they depend on how full pages are, and on the time. */
const maintenance = /^(?:XLOG|Standby|CLOG|MultiXact|Storage|RelMap)\/|^Heap2\/|^Btree\/(?!INSERT_)/;
