import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@pets/dev-stack';
import { run } from '../engine/programs.js';
import type { Contestant } from './contestant.js';
import { on, SERVER_PROCESSOR } from './processors.js';

/** The minimum that a server on Node can do: the difference to our edge is our cost, the rest is the platform's. */
export const bareNode: Contestant = {
  name: 'node',
  mostNames: Infinity,
  start: async ({ set, siteFolder }) => {
    const port = await freePort();
    const program = fileURLToPath(new URL('bare-node-main.js', import.meta.url));
    const node = [process.execPath, program, String(port), set.folder, join(siteFolder, 'index.html')];
    const [command, args] = on(SERVER_PROCESSOR, node);
    const child = run({ name: 'node', command, args: [...args] });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};
