import { sql } from 'kysely';
import { applyMigrations } from './apply-migrations.js';
import type { Database } from './database.js';
import type { SchemaMigration } from './migration.js';
import * as initial from './migrations/0001-initial.js';
import * as orders from './migrations/0002-orders.js';
import * as apiKeys from './migrations/0003-api-keys.js';
import * as idempotency from './migrations/0004-idempotency.js';
import * as petsJson from './migrations/0005-pets-json.js';
import * as historyActors from './migrations/0006-history-actors.js';
import * as certificateAttempts from './migrations/0007-certificate-attempts.js';
import * as deployments from './migrations/0008-deployments.js';
import * as trafficStopped from './migrations/0009-traffic-stopped.js';
import * as webhooks from './migrations/0010-webhooks.js';
import * as projectChanges from './migrations/0011-project-changes.js';
import * as nameServers from './migrations/0012-name-servers.js';
import * as traces from './migrations/0013-traces.js';

/** In order; a name, once released, never changes. */
export const migrations: Readonly<Record<string, SchemaMigration>> = {
  '0001-initial': initial,
  '0002-orders': orders,
  '0003-api-keys': apiKeys,
  '0004-idempotency': idempotency,
  '0005-pets-json': petsJson,
  '0006-history-actors': historyActors,
  '0007-certificate-attempts': certificateAttempts,
  '0008-deployments': deployments,
  '0009-traffic-stopped': trafficStopped,
  '0010-webhooks': webhooks,
  '0011-project-changes': projectChanges,
  '0012-name-servers': nameServers,
  '0013-traces': traces,
};

/**
 * Brings the database to this version of the code. Run by a command of its own before the apps start, never by an app:
 * several replicas may start at once, and a rolled-back app must not have changed the database.
 * @returns the names of the migrations that were applied
 * @throws Error with the cause; what was applied before it stays
 */
export function migrateDatabase(db: Database): Promise<readonly string[]> {
  return applyMigrations(db, migrations);
}

/** Whether the database answers and has every migration this code knows. Throws when it does not answer. */
export async function isDatabaseCurrent(db: Database): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return Object.keys(migrations).every((name) => applied.has(name));
}
