import { openDatabase } from '@pets/persistence';
import { loadConfigOrExit, setting } from '@pets/platform';
import { runAdminCommand } from './admin/admin-commands.js';
import { settingsSchema } from './platform/config.js';
import { reservationSettings } from './projects/reserved-slugs.js';

/** The administrator's command. Prints one JSON line; what cannot be done goes to standard error, exit 1. */
const config = loadConfigOrExit(
  settingsSchema
    .pick(reservationSettings)
    .partial() // for the commands on names alone
    .extend({
      ...settingsSchema.pick({
        DATABASE_URL: true,
        ENVIRONMENT: true,
        EDGE_MAX_STALENESS: true,
        REVERIFY_AFTER: true,
        PLAN_GRACE_DAYS: true,
      }).shape,
      CERTIFICATE_KEKS: setting.keyRing().optional(), // for the commands on keys alone
    }),
);
const db = openDatabase({
  url: config.DATABASE_URL,
  poolSize: 1,
  onConnectionError: (error) => process.stderr.write(`${error.message}\n`),
});
try {
  process.stdout.write(JSON.stringify(await runAdminCommand(process.argv.slice(2), db, config)) + '\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await db.destroy();
}
