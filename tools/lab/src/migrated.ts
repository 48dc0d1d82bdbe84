import { migrateMessaging } from '@pets/messaging/migrate';
import { migrateDatabase, openDatabase } from '@pets/persistence';
import type { TestPostgresContents } from '@pets/testing/postgres';

/** The schemas of the API and of the queues, and nothing in them. */
export const migrated: TestPostgresContents = {
  name: 'migrated',
  sources: ['libs/persistence/src', 'libs/messaging/src/migrate.ts'],
  fill: async (url) => {
    const db = openDatabase({ url, onConnectionError: () => undefined });
    await migrateDatabase(db);
    await db.destroy();
    await migrateMessaging({ databaseUrl: url });
  },
};
