import { migrateMessaging } from '@pets/messaging/migrate';
import { migrateDatabase, openDatabase, UnknownDatabase } from '@pets/persistence';
import { createLogger, loadConfigOrExit } from '@pets/platform';
import { sessionUrlOf, settingsSchema } from './platform/config.js';

/** The migration command: brings the database (and the queues, where they live in it) to this version. */
const config = loadConfigOrExit(
  settingsSchema.pick({ DATABASE_URL: true, DATABASE_SESSION_URL: true, REDIS_URL: true, LOG_LEVEL: true }),
);
const log = createLogger('pets-api-migrate', config.LOG_LEVEL);
const db = openDatabase({
  url: sessionUrlOf(config),
  poolSize: 2,
  abortUnresponsive: false,
  onConnectionError: (error) => log.warn({ err: error }, 'database connection lost'),
});
try {
  const applied = await migrateDatabase(db);
  if (config.REDIS_URL === undefined) await migrateMessaging({ databaseUrl: sessionUrlOf(config) });
  log.info({ applied }, 'database is current');
} catch (error) {
  if (error instanceof UnknownDatabase) log.error(error.message);
  else log.error({ err: error }, 'migration failed; earlier migrations stay applied');
  process.exitCode = 1;
} finally {
  await db.destroy();
}
