/**
 * `npm run admin`: the administrator's command, on the stack that runs on this DATA_DIR, or with the settings given. In a
 * deployment, `node apps/pets-api/dist/admin.js` is used directly.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { loadConfigOrExit } from '@pets/platform';
import { repositoryRoot } from '@pets/testing/processes';
import { findRunningStack } from './supervisor/dev-file.js';
import { openSecrets } from './supervisor/secrets.js';
import { adminSpec } from './supervisor/services.js';
import { settingsSchema } from './supervisor/settings.js';

const settings = loadConfigOrExit(settingsSchema);
const args = process.argv.slice(2);
const dev = settings.DATABASE_URL === undefined ? await findRunningStack(settings.DATA_DIR) : null;
const child =
  dev === null
    ? spawn(process.execPath, [join(repositoryRoot, 'apps/pets-api/dist/admin.js'), ...args], { stdio: 'inherit' })
    : await startOn(dev.databaseUrl);
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;

async function startOn(databaseUrl: string) {
  const wiring = {
    settings,
    secrets: await openSecrets(settings),
    databaseUrl,
    workerHealthPort: 0,
    edgeHealthPort: 0,
  };
  const { command, args: all, env } = adminSpec(wiring, args);
  return spawn(command, all, { env, stdio: 'inherit' });
}
