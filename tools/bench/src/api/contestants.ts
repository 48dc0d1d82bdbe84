import { fileURLToPath } from 'node:url';
import { freePort, sharedReaper, startChild, waitUntil, type RunningChild } from '@pets/testing/processes';
import autocannon from 'autocannon';

export interface Contestant {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<unknown>;
}

const READY_LIMIT_MS = 30_000;

/** Starts a server as a process of its own and waits until it answers. */
export async function startContestant(
  program: { name: string; file: string },
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
  await waitUntil(async () => (await fetch(url)).status < 500, {
    timeoutMs: READY_LIMIT_MS,
    message: `${program.name} to answer`,
  });
  return { pid: child.pid, url, stop: () => child.stop() };
}

export const plainFastify = { name: 'plain-fastify', file: peer('plain-fastify.js') };
export const nestExpress = { name: 'nest-express-typeorm', file: peer('nest-express-typeorm.js') };

function peer(file: string): string {
  return fileURLToPath(new URL(`./peers/${file}`, import.meta.url));
}

export const CONNECTIONS = 16;
const SECONDS = 3;

export interface Request {
  /** Each connection keeps to one of these, in turn. */
  readonly urls: readonly [string, ...string[]];
  readonly key: string;
  /** Makes it a POST. */
  readonly body?: string;
}

/** How long a load runs, or how many requests it has. */
type Extent = { readonly seconds: number } | { readonly requests: number };

interface Answered {
  readonly requests: number;
  readonly perSecond: number;
}

/**
 * Puts a steady load on a server, without pauses.
 * @throws Error when anything but a 2xx came: a refusal is fast and would count as speed
 */
export async function load({ urls, key, body }: Request, extent: Extent = { seconds: SECONDS }): Promise<Answered> {
  const [url] = urls;
  let connections = 0;
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    ...('seconds' in extent ? { duration: extent.seconds } : { amount: extent.requests }),
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body }),
    setupClient: (client) => {
      const { pathname, search } = new URL(urls[connections++ % urls.length] ?? url);
      client.setRequests([{ path: pathname + search }]);
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} requests failed`);
  }
  return { requests: result.requests.total, perSecond: result.requests.average };
}
