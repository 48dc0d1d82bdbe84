import { openDatabase } from '@pets/persistence';
import { loadConfigOrExit, setting } from '@pets/platform';
import { adminUsage, runAdminCommand } from './operations/admin/admin-commands.js';
import { checkedSettings } from './operations/admin/command.js';
import { databaseAddressOf, databaseSettings, settingsSchema } from './platform/config.js';
import { reservationSettings } from './projects/reserved-slugs.js';

/**
 * The administrator's command. Prints one JSON line, or an error on standard error with exit code 1. A result that says that
 * something is not right (`ok: false`) has exit code 1 as well.
 */
if (process.argv.length === 2 || process.argv.includes('--help')) {
  process.stdout.write(`${await adminUsage()}\n`);
  process.exit();
}
const config = loadConfigOrExit(
  settingsSchema
    .pick(reservationSettings)
    .partial() // only commands on names need them
    .extend({
      ...checkedSettings,
      ...settingsSchema.pick({
        ...databaseSettings,
        ENVIRONMENT: true,
        EDGE_MAX_STALENESS: true,
        REVERIFY_AFTER: true,
        PLAN_GRACE_DAYS: true,
        PREPARE_MAX_DAYS: true,
        ACME_DNS_ZONE: true,
        PUBLIC_URL: true,
        DASHBOARD_ORIGIN: true,
      }).shape,
      CERTIFICATE_KEKS: setting.keyRing().optional(), // only commands on keys need it
      STORAGE_URL: settingsSchema.shape.STORAGE_URL.optional(), // only commands that write certificates to the storage
    }),
);
const db = openDatabase({
  ...databaseAddressOf(config),
  poolSize: 1,
  onConnectionError: (error) => process.stderr.write(`${error.message}\n`),
});
try {
  const result = await runAdminCommand(process.argv.slice(2), db, config);
  process.stdout.write(JSON.stringify(result) + '\n');
  if ('ok' in result && result.ok === false) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await db.destroy();
}
