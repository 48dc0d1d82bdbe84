/**
 * A PostgreSQL server of our own, from binaries that came with npm, listening on 127.0.0.1 alone.
 * Flow: find the binaries → choose where they and the data can be → make the cluster once → say how to start it.
 * Starting is split from preparing, so that the supervisor can treat the server like each of its other children.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describeExit, startChild, type ChildSpec, type LineSink, type RunningChild } from '../processes/child.js';
import { sharedReaper, type Reaper } from '../processes/reaper.js';
import { waitUntil, whileAlive } from '../processes/wait-until.js';
import { assertClusterIdle, choosePlacement, locateBinaries, removeData, type Placement } from './placement.js';

export type PostgresOptions = {
  /** Survives restarts. Made when missing. */
  readonly dataDir: string;
  readonly port: number;
  /** A folder of `keepTemplate`, copied where there is no cluster yet. */
  readonly template?: string;
  /** Server settings on top of ours, such as `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: (line: string) => void;
  /** Whether the end of this process, which the server does not delay, ends the server and deletes its data. */
  readonly isTemporary?: boolean;
};

export type PreparedPostgres = {
  readonly url: string;
  readonly spec: ChildSpec;
  /** The folder that the data are in. */
  readonly base: string;
};

export type RunningPostgres = {
  readonly url: string;
  readonly pid: number;
  readonly exited: RunningChild['exited'];
  stop(): Promise<void>;
  /** Stops it and deletes its data. */
  destroy(): Promise<void>;
};

const USER = 'postgres';
const START_LIMIT_MS = 30_000;
/** The database is the last to stop, after everything that uses it. */
const STOP_RANK = 4;

export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const reaper = sharedReaper();
  const lines: string[] = [];
  const onLine: LineSink = (_name, line) => {
    lines.splice(0, lines.length - 20);
    lines.push(line);
    options.log?.(line);
  };
  const { url, spec, base } = await preparePostgres(options, { reaper, onLine });
  const isTemporary = options.isTemporary === true;
  // The immediate shutdown, where nothing is kept.
  const child = startChild(isTemporary ? { ...spec, stopSignals: ['SIGQUIT'] } : spec, { reaper, onLine });
  const died = child.exited.then((exit) => {
    throw new Error(`PostgreSQL ${describeExit(exit)}:\n${lines.join('\n')}`);
  });
  died.catch(() => undefined); // the race below reports it, or `exited`
  try {
    await whileAlive(died, (signal) => waitForPostgres(url, signal));
  } catch (error) {
    await child.stop();
    throw error;
  }
  const destroy = async () => {
    await child.stop();
    await removeData(options.dataDir);
  };
  if (isTemporary) {
    child.unref();
    for (const folder of new Set([base, options.dataDir])) reaper.addFolder(folder);
  }
  return { url, pid: child.pid, exited: child.exited, stop: () => child.stop(), destroy };
}

/** Everything up to the start itself; makes the cluster where there is none. */
export async function preparePostgres(
  { dataDir, port, template, settings = {} }: PostgresOptions,
  run: { reaper: Reaper; onLine: LineSink },
): Promise<PreparedPostgres> {
  const placement = await choosePlacement(await locateBinaries(), dataDir);
  const base = realpathSync(placement.base);
  const cluster = join(base, 'cluster');
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    await (template === undefined ? makeCluster(placement, cluster, run) : copyCluster(template, base));
  }
  const staleLock = await assertClusterIdle(cluster);
  const password = (await readFile(passwordFile(base), 'utf8')).trim();
  const parameters = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // A crash of the machine may lose nothing that was acknowledged, so fsync and synchronous_commit stay on.
    logging_collector: 'off',
    ...settings,
  };
  const args = Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    base,
    spec: {
      noise: / LOG: {2}|FATAL: {2}the database system is starting up$/,
      ...specOf(placement, 'postgres', ['-D', cluster, '-p', String(port), ...args]),
      // PostgreSQL refuses a lock file whose process id lives, even as a stranger's after a reboot. This is the way
      // pg_ctl makes it disregard one; whether shared memory is still in use is checked all the same.
      env: staleLock === undefined ? {} : { PG_GRANDPARENT_PID: String(staleLock) },
    },
  };
}

/** Resolves at the first query that is answered. */
export async function waitForPostgres(url: string, signal?: AbortSignal): Promise<void> {
  const ask = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
    client.on('error', () => undefined); // a connection lost after the answer changes nothing
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } finally {
      await client.end();
    }
  };
  await waitUntil(ask, { timeoutMs: START_LIMIT_MS, message: 'PostgreSQL to answer', signal });
}

/** Built beside its place and renamed, so that a start that was cut short leaves no half of a cluster. */
async function makeCluster(placement: Placement, cluster: string, run: { reaper: Reaper; onLine: LineSink }) {
  const draft = `${cluster}.draft`;
  await rm(draft, { recursive: true, force: true });
  const secret = passwordFile(placement.base);
  await rm(secret, { force: true });
  await writeFile(secret, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (placement.identity) await chown(secret, placement.identity.uid, placement.identity.gid);
  const lines: string[] = [];
  const args = ['-D', draft, '-U', USER, '--auth=scram-sha-256', `--pwfile=${secret}`, '--encoding=UTF8'];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-sync'];
  const exit = await startChild(specOf(placement, 'initdb', [...args, ...locale]), {
    reaper: run.reaper,
    onLine: (_name, line) => lines.push(line),
  }).exited;
  if (exit.code !== 0) throw new Error(`initdb ${describeExit(exit)}:\n${lines.join('\n')}`);
  await rename(draft, cluster);
}

function specOf({ home, identity, base }: Placement, program: 'initdb' | 'postgres', args: string[]): ChildSpec {
  return {
    name: 'postgres',
    command: join(home, 'bin', program),
    args,
    env: {},
    cwd: identity ? '/' : base,
    identity,
    // SIGINT is the fast shutdown; SIGQUIT the immediate one, in which the server kills its own backends.
    stopSignals: program === 'postgres' ? ['SIGINT', 'SIGQUIT'] : ['SIGTERM'],
    stopTimeoutMs: 10_000,
    stopRank: STOP_RANK,
  };
}

function passwordFile(base: string): string {
  return join(base, 'password');
}

/** Clusters that are copied instead of made: `initdb`, and whatever a cluster was filled with, once instead of each time. */
const COPY_LIMIT_MS = 60_000;

/**
 * Keeps the cluster of a server that was stopped, for `PostgresOptions.template`. The folder appears whole or not at all;
 * where it is there already, another process was faster, and its copy stays.
 */
export async function keepTemplate(dataDir: string, folder: string): Promise<void> {
  const { base } = await choosePlacement(await locateBinaries(), dataDir);
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.draft-`);
  await copyCluster(base, draft);
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
}

/** From the base of one placement, or a template, to that of another. Whose files they are stays as it is. */
async function copyCluster(from: string, to: string): Promise<void> {
  const draft = join(to, 'cluster.draft');
  await rm(draft, { recursive: true, force: true });
  // A thousand small files: `cp` is several times faster than Node, and shares their blocks where the file system can.
  const copy = (...args: string[]) => promisify(execFile)('cp', ['-Rp', ...args], { timeout: COPY_LIMIT_MS });
  await copy(join(from, 'password'), to);
  await copy(join(from, 'cluster'), draft);
  await rename(draft, join(to, 'cluster'));
}
