import { sql } from 'kysely';
import { applyMigrations, type SchemaMigration } from './apply-migrations.js';
import type { Database } from './database.js';
import * as baseline from './migrations/0001-baseline.js';

/** In order; a released name never changes. */
export const migrations: Readonly<Record<string, SchemaMigration>> = {
  '0001-baseline': baseline,
};

/**
 * Brings the database to this version of the code. A separate command runs it before the apps start, never an app:
 * several replicas may start at once, and a rolled-back app must not have changed the database.
 * @returns the names of the migrations that were applied
 * @throws Error with the cause; steps before it stay applied
 */
export function migrateDatabase(db: Database): Promise<readonly string[]> {
  return applyMigrations(db, migrations);
}

/** Whether the database has every migration of this code. @throws when it does not answer */
export async function isDatabaseCurrent(db: Database): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return Object.keys(migrations).every((name) => applied.has(name));
}
