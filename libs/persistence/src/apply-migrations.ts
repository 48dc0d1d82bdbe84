import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import pg from 'pg';
import type { Database } from './database.js';
import type { SchemaMigration } from './migration.js';

export interface ApplyLimits {
  /** How long a statement waits for a lock. Whatever wants the table meanwhile waits behind it, people's requests too. */
  readonly lockMs: number;
  /** How long a statement may run, and so hold its locks. */
  readonly statementMs: number;
  /** How often a step that got no lock is tried again, and after how long. */
  readonly retries: number;
  readonly retryMs: number;
}

const LIMITS: ApplyLimits = { lockMs: 2_000, statementMs: 10_000, retries: 15, retryMs: 2_000 };

/** An index on a large table takes its time, and holds up nobody. */
const CONCURRENT_STATEMENT_MS = 3_600_000;

/**
 * Applies what is missing, each step in a transaction of its own, so that it holds locks no longer than it must. A step
 * that gets no lock in time lets everybody else go first and is tried again; any other failure ends it, with the steps
 * before it applied.
 * @returns the names of the steps that were applied
 * @throws Error with the cause
 */
export async function applyMigrations(
  db: Database,
  migrations: Readonly<Record<string, SchemaMigration>>,
  limits: ApplyLimits = LIMITS,
): Promise<readonly string[]> {
  const limited = Object.fromEntries(Object.entries(migrations).map(([name, step]) => [name, within(step, limits)]));
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
      if (!isPassing(error) || ++failures > limits.retries)
        throw new Error(`migration ${next.name} failed`, { cause: error });
      await sleep(limits.retryMs);
    }
  }
  return applied;
}

/** The step under its limits. Those of a transaction end with it; a concurrent step has a connection of its own for them. */
function within(step: SchemaMigration, { lockMs, statementMs }: ApplyLimits): Migration {
  if (step.isConcurrent)
    return {
      up: async (db: Kysely<unknown>) => {
        if (db.isTransaction) throw new OutOfTurn();
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
      if (!db.isTransaction) throw new OutOfTurn();
      await sql.raw(`set local lock_timeout = ${lockMs}`).execute(db);
      await sql.raw(`set local statement_timeout = ${statementMs}`).execute(db);
      await step.up(db);
    },
  };
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Another process that migrates as well was faster, and what is next is no longer what it was. */
class OutOfTurn extends Error {
  override readonly message = 'another process has migrated meanwhile';
}

function isPassing(error: unknown): boolean {
  return error instanceof OutOfTurn || (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE);
}
