import {
  bringUp,
  DEV_EDGE_ADDRESS,
  portVariables,
  readDevFile,
  settingsSchema,
  Supervisor,
  type DevFile,
} from '@pets/dev-stack';
import { startTestPostgres, type TestPostgres } from '@pets/testing/postgres';
import { freePort, startReaper, type RunningChild } from '@pets/testing/processes';
import pg from 'pg';
import { administrate } from './administrator.js';
import { migrated } from './migrated.js';

/** The services and the development servers of `npm start`, in tests. */
export interface TestStack {
  readonly dev: DevFile;
  /** The last lines that its processes have printed. */
  readonly lines: readonly string[];
  /** Resolves when all processes have ended. */
  readonly exited: Promise<unknown>;
  /** The process ID of a service, such as `edge`. */
  pidOf(service: string): number;
  /**
   * Offers the address of the edge to owners, which the command of the administrator refuses: it is not public. The API knows
   * that seconds later.
   */
  offerEdgeAddress(isOffered: boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface TestStackOptions {
  readonly dataDir: string;
  /** Settings of `npm start` on top of free ports; `PATH` and `HOME` are worth passing. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the end of this process, which the stack does not delay, ends the stack and deletes its data. */
  readonly isTemporary?: boolean;
}

const KEPT_LINES = 500;

/**
 * Starts a stack as `npm start` does, but supervised by this process, with its data in a database of the server that the tests of
 * this process share, which has the schema already: a supervisor and a server of its own take seconds.
 */
export async function startTestStack({ dataDir, env = {}, isTemporary = false }: TestStackOptions): Promise<TestStack> {
  const postgres = await startTestPostgres(migrated);
  const lines: string[] = [];
  const keepLine = (line: string) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  };
  const supervisor = new Supervisor({ reaper: startReaper(), onLine: (name, line) => keepLine(`[${name}] ${line}`) });
  const children = new Map<string, RunningChild>();
  const services = {
    start: (spec: Parameters<Supervisor['start']>[0]) => {
      const child = supervisor.startReplaceable(spec);
      children.set(spec.name, child);
      if (isTemporary) child.unref();
    },
    run: (spec: Parameters<Supervisor['run']>[0]) => supervisor.run(spec),
  };
  try {
    await bringUp(supervisor, await settingsOf(dataDir, env, postgres), {
      print: () => undefined,
      services,
      isPrepared: true,
      admin: (args) => administrate(postgres.url, args),
    });
  } catch (error) {
    await stop(supervisor, postgres);
    throw new Error(`the stack did not start:\n${lines.slice(-30).join('\n')}`, { cause: error });
  }
  if (isTemporary) supervisor.reaper.addFolder(dataDir);
  return {
    dev: await readDevFile(dataDir),
    lines,
    exited: supervisor.stopped,
    pidOf: (service) => {
      const child = children.get(service);
      if (child === undefined) throw new Error(`the stack has no service ${service}`);
      return child.pid;
    },
    offerEdgeAddress: (isOffered) => offerAddress(postgres, DEV_EDGE_ADDRESS, isOffered),
    stop: () => stop(supervisor, postgres),
  };
}

async function offerAddress({ url }: TestPostgres, address: string, isOffered: boolean): Promise<void> {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const statement = isOffered
    ? 'insert into public_addresses (address) values ($1) on conflict do nothing'
    : 'delete from public_addresses where address = $1';
  await database.query(statement, [address]);
  await database.end();
}

async function settingsOf(dataDir: string, env: Readonly<Record<string, string>>, { url }: TestPostgres) {
  const ports: Record<string, string> = {};
  for (const variable of portVariables) ports[variable] = String(await freePort());
  return settingsSchema.parse({ ...ports, ...env, DATA_DIR: dataDir, DATABASE_URL: url });
}

async function stop(supervisor: Supervisor, postgres: TestPostgres): Promise<void> {
  supervisor.stop({ kind: 'asked' });
  await supervisor.stopped;
  await postgres.stop();
}
