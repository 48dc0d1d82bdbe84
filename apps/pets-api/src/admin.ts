import { openDatabase } from '@pets/persistence';
import { loadConfigOrExit, setting } from '@pets/platform';
import { runAdminCommand } from './admin-commands.js';
import { configSchema } from './config.js';

/** The administrator's command. Prints one JSON line; what cannot be done goes to standard error, exit 1. */
const config = loadConfigOrExit(
  configSchema
    .pick({ DATABASE_URL: true, ENVIRONMENT: true })
    .extend({ CERTIFICATE_KEKS: setting.keyRing().optional() }), // for the commands on keys alone
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
