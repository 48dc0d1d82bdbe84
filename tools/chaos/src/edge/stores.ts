import { once } from 'node:events';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, type EngineFixture, type Program } from '@pets/bench/engine';
import {
  freePort,
  keepTemplate,
  startPostgres,
  waitUntil,
  type RunningChild,
  type RunningPostgres,
} from '@pets/dev-stack';
import pg from 'pg';

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

/** That s3rver accepts. */
const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export async function startBucket(folder: string): Promise<Bucket> {
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
    stop: () => server.stop(),
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

/** A database with a standby that lags behind. */
export interface FailoverDatabase {
  /** Copies the server, with a short interruption: a standby that receives nothing from then on. */
  keepStandby(): Promise<void>;
  /** Kills the server and promotes the standby, at the same address. What was committed since the copy is lost. */
  failOver(): Promise<void>;
  query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]>;
  stop(): Promise<void>;
}

export function failoverDatabase(engine: EngineFixture): FailoverDatabase {
  const { postgres, postgresPort: port, postgresFolder, folder } = engine;
  let server: RunningPostgres = postgres;
  let [dataDir, standby, count] = [postgresFolder, '', 0];
  const query = async <Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> => {
    const client = new pg.Client({
      connectionString: server.url,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    client.on('error', () => undefined); // its query fails
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    query,
    keepStandby: async () => {
      standby = join(folder, `standby-${++count}`);
      await server.stop();
      await keepTemplate(dataDir, standby);
      await writeFile(join(standby, 'cluster/standby.signal'), '');
      server = await startPostgres({ dataDir, port });
    },
    failOver: async () => {
      process.kill(server.pid, 'SIGQUIT'); // the immediate shutdown
      await server.exited;
      await server.destroy();
      dataDir = join(folder, `promoted-${count}`);
      server = await startPostgres({ dataDir, port, template: standby });
      await query('select pg_promote()');
    },
    stop: () => server.destroy(),
  };
}

/** A disk of 32 MiB at a folder, which only processes that are started `on` it see there. */
export interface SmallDisk {
  /** The folder's content, as this process sees it. */
  readonly folder: string;
  on(program: Program): Program;
  fill(): Promise<void>;
  /** Deletes what `fill` has written. */
  free(): Promise<void>;
  stop(): Promise<void>;
}

const SIZE = '32m';
const MIB = Buffer.alloc(1024 ** 2, 1);

/** Needs no privileges where users may have namespaces of their own. @throws Error where they may not */
export async function mountSmallDisk(path: string): Promise<SmallDisk> {
  await mkdir(path, { recursive: true });
  const lines: string[] = [];
  const script = 'mount -t tmpfs -o "size=$1" none "$2" && echo mounted && exec sleep infinity';
  // The disk exists for as long as this process.
  const keeper = run({
    name: 'small disk',
    command: 'unshare',
    args: ['-rm', 'sh', '-c', script, 'sh', SIZE, path],
    onLine: (line) => lines.push(line),
  });
  await waitUntil(() => lines.includes('mounted'), { timeoutMs: 5_000, message: 'unshare to mount a small disk' });
  const folder = join('/proc', String(keeper.pid), 'root', path);
  const filler = join(folder, 'filler');
  return {
    folder,
    on: (program) => ({
      ...program,
      command: 'nsenter',
      args: ['-t', String(keeper.pid), '-U', '-m', '--preserve-credentials', program.command, ...program.args],
    }),
    fill: () => writeUntilFull(filler),
    free: () => rm(filler, { force: true }),
    stop: () => keeper.stop(),
  };
}

async function writeUntilFull(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (;;) await file.write(MIB); // it writes a part where not all fits
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}
