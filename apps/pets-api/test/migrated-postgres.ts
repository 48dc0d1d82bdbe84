import { migrated } from '@pets/lab/migrated';
import type { DatabaseAddress } from '@pets/persistence';
import {
  startPgBouncer,
  startTestPostgres,
  startTestPostgresServer,
  type PgBouncer,
  type PostgresServer,
  type TestPostgres,
} from '@pets/testing';

interface Migrated {
  /** Address that the API is given: PostgreSQL itself, or in `npm run interop` a PgBouncer before it. */
  readonly address: DatabaseAddress;
  readonly pgbouncer: PgBouncer | null;
}

export type MigratedPostgres = TestPostgres & Migrated;

/** A database of the test's own with the schemas of the API and of the queues, and nothing in them. */
export async function startMigratedPostgres(): Promise<MigratedPostgres> {
  return addAddress(await startTestPostgres(migrated));
}

/** The same on a server of the test's own. */
export async function startMigratedServer(): Promise<PostgresServer & Migrated> {
  return addAddress(await startTestPostgresServer(migrated));
}

async function addAddress<Postgres extends TestPostgres>(postgres: Postgres): Promise<Postgres & Migrated> {
  if (process.env['PETS_TEST_POOLER'] !== 'pgbouncer') {
    return { ...postgres, address: { url: postgres.url }, pgbouncer: null };
  }
  const pgbouncer = await startPgBouncer(postgres.url);
  if (pgbouncer === null) throw new Error('pgbouncer is not installed');
  const stop = async () => {
    await pgbouncer.stop();
    await postgres.stop();
  };
  return { ...postgres, stop, pgbouncer, address: { url: pgbouncer.url, sessionUrl: postgres.url } };
}

/** The settings that lead an app to it. */
export function settingsOf({ url, sessionUrl }: DatabaseAddress): Record<string, string> {
  return { DATABASE_URL: url, ...(sessionUrl !== undefined && { DATABASE_SESSION_URL: sessionUrl }) };
}
