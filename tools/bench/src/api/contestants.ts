import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, repositoryRoot, sharedReaper, startChild, waitUntil, type RunningChild } from '@pets/dev-stack';

export interface Contestant {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 30_000;

/** Starts a server as a process of its own and waits until it answers at `readyPath`. */
export async function startContestant(
  program: { name: string; file: string; readyPath: string },
  env: Readonly<Record<string, string>>,
): Promise<Contestant> {
  const port = await freePort();
  const child: RunningChild = startChild(
    {
      name: program.name,
      command: process.execPath,
      args: [program.file],
      env: { NODE_ENV: 'production', PATH: '', HOST: '127.0.0.1', PORT: String(port), ...env },
      stopSignals: ['SIGTERM'],
      stopTimeoutMs: 10_000,
      stopRank: 0,
    },
    { reaper: sharedReaper(), onLine: (name, line) => process.stderr.write(`[${name}] ${line}\n`) },
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => (await fetch(url + program.readyPath)).status < 500, {
    timeoutMs: READY_LIMIT_MS,
    message: `${program.name} to answer`,
  });
  return { pid: child.pid, url, stop: () => child.stop() };
}

export const ours = {
  name: 'pets-api',
  file: join(repositoryRoot, 'apps/pets-api/dist/main.js'),
  readyPath: '/readyz',
};
export const plainFastify = { name: 'plain-fastify', file: peer('plain-fastify.js'), readyPath: '/' };
export const nestExpress = { name: 'nest-express-typeorm', file: peer('nest-express-typeorm.js'), readyPath: '/' };

function peer(file: string): string {
  return fileURLToPath(new URL(`./peers/${file}`, import.meta.url));
}
