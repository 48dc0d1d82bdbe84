import { runMigrations } from 'bullmq';
import { Client } from 'pg';
import { MESSAGING_SCHEMA } from './postgres.backend.js';

/**
 * Brings BullMQ's own tables up to date. In one transaction under an advisory lock, so that several starting at once
 * are safe and a second run changes nothing.
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
