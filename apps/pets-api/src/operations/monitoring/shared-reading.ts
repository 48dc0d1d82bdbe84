import { pause, restAfter } from '@pets/async';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';

export interface SharedReadingOptions {
  readonly db: Database;
  /** A reading is made again when the last one is older. */
  readonly keepMs: number;
  /** Callers wait no longer than this for a new reading, and then get the previous one. */
  readonly waitMs: number;
  /** Is called when a reading fails that nobody waits for any more. */
  readonly onFailure: (error: unknown) => void;
}

/** A reading with the time since it was complete. */
export interface Shared<T> {
  readonly value: T;
  readonly ageSeconds: number;
}

/** Another replica takes over when the one that reads has not ended after this. */
const LEASE_SECONDS = 600;

/**
 * A reading that grows with the database: one replica at a time makes it and stores it, and all of them report it. The row
 * of the reading in `shared_readings` elects the replica: the one that moves `due_at`.
 */
export class SharedReading<T extends object> {
  readonly #name: string;
  readonly #read: () => Promise<T>;
  readonly #options: SharedReadingOptions;

  /**
   * @param name of the reading and of the shape of its value: another shape needs another name, since replicas of two
   *   versions read the row during an upgrade
   */
  constructor(name: string, read: () => Promise<T>, options: SharedReadingOptions) {
    this.#name = name;
    this.#read = read;
    this.#options = options;
  }

  /** @returns null while there is no reading yet */
  async current(): Promise<Shared<T> | null> {
    if (await this.#isElected()) await this.#refresh();
    return this.#find();
  }

  async #isElected(): Promise<boolean> {
    const { rows } = await sql`
      insert into shared_readings as r (name, due_at)
      values (${this.#name}, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (name) do update set due_at = excluded.due_at where r.due_at <= now()
      returning name`.execute(this.#options.db);
    return rows.length > 0;
  }

  /** Returns when the reading is stored, or after `waitMs`; the reading goes on then. */
  async #refresh(): Promise<void> {
    const reading = this.#readAndStore();
    const wait = new AbortController();
    const late = pause(this.#options.waitMs, wait.signal).then(() => 'late' as const);
    try {
      if ((await Promise.race([reading, late])) === 'late') reading.catch(this.#options.onFailure);
    } finally {
      wait.abort();
    }
  }

  async #readAndStore(): Promise<void> {
    const beganMs = performance.now();
    try {
      const value = JSON.stringify(await this.#read());
      const pauseMs = Math.max(this.#options.keepMs, restAfter(performance.now() - beganMs));
      await sql`
        update shared_readings set value = ${value}::jsonb, read_at = now(),
          due_at = now() + make_interval(secs => ${pauseMs / 1_000})
        where name = ${this.#name}`.execute(this.#options.db);
    } catch (error) {
      const elect = sql`update shared_readings set due_at = now() where name = ${this.#name}`;
      await elect.execute(this.#options.db).catch(() => undefined); // without a database, the lease expires
      throw error;
    }
  }

  async #find(): Promise<Shared<T> | null> {
    const { rows } = await sql<Shared<T>>`
      select value, extract(epoch from now() - read_at)::float8 as "ageSeconds"
      from shared_readings where name = ${this.#name} and value is not null`.execute(this.#options.db);
    return rows[0] ?? null;
  }
}

/**
 * Reads on one connection, to leave the rest of the pool to requests.
 * @param limitMs PostgreSQL cancels a statement that takes longer
 */
export function readLimited<T>(db: Database, limitMs: number, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = ${sql.lit(limitMs)}`.execute(tx);
    return read(tx);
  });
}

/** The row of a statement of aggregates. */
export function single<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}
