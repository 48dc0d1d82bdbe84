import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type RunningChild } from '@pets/testing/processes';
import { run } from '../programs.js';

/** The file storage of the API and the edges: a bucket of an S3 server that can be lost. */
export interface Bucket {
  /** `STORAGE_URL` and the credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Refuses connections, or accepts them and does not answer. */
  takeAway(how: Absence): Promise<void>;
  bringBack(): Promise<void>;
  /** The file on disk that has an object's content. */
  find(key: string): Promise<string>;
  stop(): Promise<void>;
}

export const absences = ['refused', 'silent'] as const;
type Absence = (typeof absences)[number];

/** Credentials that s3rver accepts. */
const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export async function startBucket(folder: string): Promise<Bucket> {
  await mkdir(folder);
  const port = await freePort();
  let server = await startServer(folder, port);
  let absence: Absence | undefined;
  return {
    environment: {
      ...credentials,
      STORAGE_URL: `s3://files?endpoint=http://127.0.0.1:${port}&forcePathStyle=true`,
    },
    takeAway: async (how) => {
      absence = how;
      process.kill(server.pid, how === 'silent' ? 'SIGSTOP' : 'SIGKILL');
      if (how === 'refused') await server.exited;
    },
    bringBack: async () => {
      if (absence === 'silent') process.kill(server.pid, 'SIGCONT');
      if (absence === 'refused') server = await startServer(folder, port);
      absence = undefined;
    },
    find: async (key) => {
      const name = (await readdir(folder, { recursive: true })).find((path) => path.endsWith(`${key}._S3rver_object`));
      if (name === undefined) throw new Error(`the bucket does not have ${key}`);
      return join(folder, name);
    },
    stop: async () => {
      if (absence === 'silent') process.kill(server.pid, 'SIGCONT');
      await server.stop();
    },
  };
}

async function startServer(folder: string, port: number): Promise<RunningChild> {
  const ready = new EventTarget();
  const server = run({
    name: 'bucket',
    command: process.execPath,
    args: [fileURLToPath(new URL('bucket-main.js', import.meta.url)), folder, String(port)],
    onLine: (line) => line === 'ready' && ready.dispatchEvent(new Event(line)),
  });
  await once(ready, 'ready', { signal: AbortSignal.timeout(30_000) });
  return server;
}
