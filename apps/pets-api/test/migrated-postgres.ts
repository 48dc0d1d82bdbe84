import { migrateMessaging } from '@pets/messaging/migrate';
import { migrateDatabase, openDatabase } from '@pets/persistence';
import { startTestPostgres, type TestPostgres } from '@pets/testing';

/** A server of the test's own with the schemas of the API and of the queues, and nothing in them. */
export function startMigratedPostgres(): Promise<TestPostgres> {
  return startTestPostgres({
    name: 'migrated',
    sources: ['libs/persistence/src', 'libs/messaging/src/migrate.ts'],
    fill: async (url) => {
      const db = openDatabase({ url, onConnectionError: () => undefined });
      await migrateDatabase(db);
      await db.destroy();
      await migrateMessaging({ databaseUrl: url });
    },
  });
}
