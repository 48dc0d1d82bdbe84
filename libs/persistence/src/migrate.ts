import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import pg from 'pg';
import type { Database } from './database.js';
import * as baseline from './migrations/0001-baseline.js';

const FIRST_STEP = '0001-baseline';

/** In order; a released name never changes. */
export const migrations: Readonly<Record<string, SchemaMigration>> = {
  [FIRST_STEP]: baseline,
};

/** A database that this version does not migrate. It was not changed. */
export class UnknownDatabase extends Error {}

/**
 * Brings the database to this version of the code. A separate command runs it before the apps start, never an app:
 * several replicas may start at once, and a rolled-back app must not have changed the database.
 * @returns the names of the migrations that were applied
 * @throws UnknownDatabase for a database of a version before 1.0
 * @throws Error with the cause; steps before it stay applied
 */
export async function migrateDatabase(db: Database): Promise<readonly string[]> {
  await assertSince1(db);
  return applyMigrations(db, migrations);
}

/** Refuses a database of a version before 1.0, whose first step has another name. */
async function assertSince1(db: Database): Promise<void> {
  const { rows } = await sql<{ database: string; isKnown: boolean }>`
    select current_database() as database, to_regclass('kysely_migration') is not null as "isKnown"`.execute(db);
  if (rows[0]?.isKnown !== true) return;
  const { rows: steps } = await sql<{ name: string }>`
    select name from kysely_migration order by name limit 1`.execute(db);
  const [first] = steps;
  if (first !== undefined && first.name !== FIRST_STEP)
    throw new UnknownDatabase(
      `the database ${rows[0].database} was made by a version before 1.0, which is not migrated: keep it for that version, and name an empty database in DATABASE_URL`,
    );
}

/** Whether the database has every migration of this code. @throws when it does not answer */
export async function isDatabaseCurrent(db: Database): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return Object.keys(migrations).every((name) => applied.has(name));
}

/**
 * One step of the schema, from one version of the code to the next. Both run on it during a rollout, so a step only adds:
 * what the last version reads and writes stays as it is. See docs/decisions/0030.
 */
export interface SchemaMigration extends Migration {
  /** Removes or renames what no version that may still run uses: says since which version, and why. */
  readonly contracts?: string;
  /**
   * Runs outside a transaction: builds indexes on tables in use, with `concurrently`, or changes many rows page by page, so that it
   * can be repeated.
   */
  readonly isConcurrent?: true;
}

interface ApplyLimits {
  /** How long a statement waits for a lock. Requests that need the table wait behind it. */
  readonly lockMs: number;
  /** How long a statement may run and hold its locks. */
  readonly statementMs: number;
  /** How often, and after how long, a step that got no lock is retried. */
  readonly retries: number;
  readonly retryMs: number;
}

const LIMITS: ApplyLimits = { lockMs: 2_000, statementMs: 10_000, retries: 15, retryMs: 2_000 };

/** An index on a large table takes long, and blocks no one. */
const CONCURRENT_STATEMENT_MS = 3_600_000;

/**
 * Applies the missing steps, each in its own transaction, so that locks are held as briefly as possible. A step that gets
 * no lock in time, or meets a deadlock, is retried after the requests that it blocked; any other failure stops the
 * migration, with the steps before it applied.
 * @returns the names of the steps that were applied
 * @throws Error with the cause
 */
export async function applyMigrations(
  db: Database,
  migrations: Readonly<Record<string, SchemaMigration>>,
  limits: ApplyLimits = LIMITS,
): Promise<readonly string[]> {
  const limited = Object.fromEntries(
    Object.entries(migrations).map(([name, step]) => [name, withLimits(step, limits)]),
  );
  const migrator = new Migrator({ db, provider: { getMigrations: async () => limited } });
  const applied: string[] = [];
  const findNext = async () => (await migrator.getMigrations()).find(({ executedAt }) => executedAt === undefined);
  let failures = 0;
  for (let next = await findNext(); next !== undefined; next = await findNext()) {
    const isConcurrent = migrations[next.name]?.isConcurrent === true;
    const { error, results = [] } = await migrator.migrateUp({ disableTransactions: isConcurrent });
    if (error === undefined) {
      applied.push(...results.map(({ migrationName }) => migrationName));
      failures = 0;
    } else {
      if (!isTransient(error) || ++failures > limits.retries)
        throw new Error(`migration ${next.name} failed`, { cause: error });
      await sleep(limits.retryMs);
    }
  }
  return applied;
}

/** Limits of a transaction end with it; a concurrent step sets them on its own connection. */
function withLimits(step: SchemaMigration, { lockMs, statementMs }: ApplyLimits): Migration {
  if (step.isConcurrent)
    return {
      up: async (db: Kysely<unknown>) => {
        if (db.isTransaction) throw new ConcurrentMigration();
        await db.connection().execute(async (connection) => {
          await sql.raw(`set statement_timeout = ${CONCURRENT_STATEMENT_MS}`).execute(connection);
          try {
            await step.up(connection);
          } finally {
            await sql.raw(`set statement_timeout = ${statementMs}`).execute(connection);
          }
        });
      },
    };
  return {
    up: async (db: Kysely<unknown>) => {
      if (!db.isTransaction) throw new ConcurrentMigration();
      await sql.raw(`set local lock_timeout = ${lockMs}`).execute(db);
      await sql.raw(`set local statement_timeout = ${statementMs}`).execute(db);
      await step.up(db);
    },
  };
}

/**
 * `lock_not_available`, and `deadlock_detected`: an index that is built concurrently waits for every open transaction, and
 * that of another process may wait for its turn to migrate.
 */
const TRANSIENT_CODES: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

/** Another process has applied this step since it was chosen. */
class ConcurrentMigration extends Error {
  override readonly message = 'another process has applied migrations at the same time';
}

function isTransient(error: unknown): boolean {
  return error instanceof ConcurrentMigration || (error instanceof pg.DatabaseError && TRANSIENT_CODES.has(error.code));
}
