import { sql } from 'kysely';
import { applyMigrations, type SchemaMigration } from './apply-migrations.js';
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

/** Those before 1.0 have a first step of another name. */
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
