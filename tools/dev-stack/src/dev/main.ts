import { join } from 'node:path';
import { loadConfigOrExit } from '@pets/platform';
import { repositoryRoot, type ChildSpec } from '@pets/testing/processes';
import { bringUp } from '../supervisor/bring-up.js';
import { apiUrl } from '../supervisor/services.js';
import { settingsSchema, type Settings } from '../supervisor/settings.js';
import { supervise } from '../supervisor/supervisor.js';
import { DevLoop } from './dev-loop.js';
import { loaderOptions } from './from-sources.js';

/** A service that cannot start waits for a change. */
const READY_LIMIT_MS = 86_400_000;

// Each request is of interest here.
const schema = settingsSchema.extend({ LOG_LEVEL: settingsSchema.shape.LOG_LEVEL.unwrap().default('info') });
const settings = loadConfigOrExit(schema);
const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);
process.stdout.on('error', () => undefined); // a reader that went away (`| head`) is no reason to fall over

process.exitCode = await supervise(
  async (supervisor) => {
    const services = new DevLoop(supervisor, join(settings.DATA_DIR, 'dev'));
    await bringUp(supervisor, settings, {
      print,
      services,
      startDashboard: () => supervisor.start(dashboardSpec(settings)),
      readyLimitMs: READY_LIMIT_MS,
    });
    services.keepStandbys();
  },
  { print, complain, stopWithParent: settings.npm_lifecycle_event !== undefined },
);

/** Vite with the dashboard, which passes requests to the API on. It gets no secret. */
function dashboardSpec(settings: Settings): ChildSpec {
  const program = join(repositoryRoot, 'apps/dashboard/build/serve.ts');
  return {
    name: 'dashboard',
    command: process.execPath,
    args: [...loaderOptions, program, String(settings.DASHBOARD_PORT), apiUrl(settings)],
    env: { PATH: settings.PATH, ...(settings.HOME !== undefined && { HOME: settings.HOME }) },
    cwd: repositoryRoot,
    stopSignals: ['SIGTERM'],
    stopTimeoutMs: 2_000,
    stopRank: 0,
  };
}
