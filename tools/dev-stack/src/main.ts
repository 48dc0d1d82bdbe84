import { loadConfigOrExit } from '@pets/platform';
import { bringUp } from './supervisor/bring-up.js';
import { assertBuilt } from './supervisor/services.js';
import { settingsSchema } from './supervisor/settings.js';
import { supervise } from './supervisor/supervisor.js';

const settings = loadConfigOrExit(settingsSchema);
const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);
process.stdout.on('error', () => undefined); // a reader that went away (`| head`) is no reason to fall over

process.exitCode = await supervise(
  async (supervisor) => {
    assertBuilt();
    await bringUp(supervisor, settings, { print });
  },
  { print, complain, stopWithParent: settings.npm_lifecycle_event !== undefined },
);
