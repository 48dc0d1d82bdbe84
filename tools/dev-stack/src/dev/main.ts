import { join } from 'node:path';
import { loadConfigOrExit } from '@pets/platform';
import { bringUp } from '../supervisor/bring-up.js';
import { settingsSchema } from '../supervisor/settings.js';
import { supervise } from '../supervisor/supervise.js';
import { dashboardSpec } from './dashboard.js';
import { DevLoop } from './dev-loop.js';

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
