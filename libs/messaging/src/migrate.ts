import { runMigrations } from 'bullmq';
import { Client } from 'pg';
import { MESSAGING_SCHEMA } from './postgres.backend.js';

/**
 * Migrates BullMQ's own tables, in one transaction under an advisory lock. Several processes may call it at the same time,
 * and a second call changes nothing.
 */
export async function migrateMessaging({ databaseUrl }: { databaseUrl: string }): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 60_000 });
  await client.connect();
  try {
    await runMigrations(client, MESSAGING_SCHEMA);
  } finally {
    await client.end();
  }
}
