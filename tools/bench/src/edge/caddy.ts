import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@pets/dev-stack';
import { run } from '../engine/programs.js';
import { BATCH, batchFolder } from './certificate-set.js';
import type { Contestant } from './contestant.js';
import { on, SERVER_PROCESSOR } from './processors.js';

/**
 * Debian's Caddy with certificates from folders, all of them in its memory, and its file server. It logs no requests
 * and issues no session tickets.
 */
export const caddy: Contestant = {
  name: 'caddy',
  mostNames: Infinity,
  start: async ({ set, folder, siteFolder }, names) => {
    const home = join(folder, 'caddy');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    const port = await freePort();
    const folders = Array.from({ length: Math.ceil(names / BATCH) }, (_, batch) =>
      batchFolder(set.folder, 'pairs', batch),
    );
    const path = join(home, 'caddy.json');
    await writeFile(path, JSON.stringify(configuration({ port, home, siteFolder, folders })));
    const [command, args] = on(SERVER_PROCESSOR, ['caddy', 'run', '--config', path]);
    const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
    const child = run({ name: 'caddy', command, args: [...args], env });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

interface Place {
  readonly port: number;
  readonly home: string;
  readonly siteFolder: string;
  readonly folders: readonly string[];
}

function configuration({ port, home, siteFolder, folders }: Place) {
  const server = {
    listen: [`127.0.0.1:${port}`],
    protocols: ['h1', 'h2'],
    automatic_https: { disable: true },
    tls_connection_policies: [{ protocol_min: 'tls1.3' }],
    routes: [{ handle: [{ handler: 'file_server', root: siteFolder }] }],
  };
  return {
    admin: { disabled: true, config: { persist: false } },
    storage: { module: 'file_system', root: home },
    logging: { logs: { default: { level: 'ERROR' } } },
    apps: {
      http: { servers: { bench: server } },
      tls: {
        certificates: { load_folders: folders },
        session_tickets: { disabled: true },
        cache: { capacity: 2 * folders.length * BATCH }, // else it forgets all but ten thousand
      },
    },
  };
}
