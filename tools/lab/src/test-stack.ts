import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bringUp,
  createTenant,
  deployPage,
  DEV_EDGE_ADDRESS,
  portVariables,
  readDevFile,
  settingsSchema,
  Supervisor,
  type DevFile,
} from '@pets/dev-stack';
import { openDatabase, type Database } from '@pets/persistence';
import { startTestPostgres, type TestPostgres } from '@pets/testing/postgres';
import { freePort, sharedInProcess, startReaper, type RunningChild } from '@pets/testing/processes';
import pg from 'pg';
import { migrated } from './migrated.js';
import { built } from './programs.js';

/** `apps/pets-api/src/operations/admin/admin-commands.ts`. */
interface AdminCommands {
  runAdminCommand(args: readonly string[], db: Database, config: { readonly ENVIRONMENT: string }): Promise<object>;
}

/**
 * Runs the administrator's command on the database of a stack, in this process: one of its own takes most of a second to load.
 * @returns what the command prints
 */
async function administrate(databaseUrl: string, args: readonly string[]): Promise<readonly string[]> {
  const file = built('pets-api', 'operations/admin/admin-commands.js');
  const commands = (await import(file)) as AdminCommands; // the sources of the file
  const db = openDatabase({ url: databaseUrl, poolSize: 1, onConnectionError: () => undefined });
  try {
    return [JSON.stringify(await commands.runAdminCommand(args, db, { ENVIRONMENT: 'development' }))];
  } finally {
    await db.destroy();
  }
}

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

interface TestStackOptions {
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

/** A running stack that other test files use too, as an organization that is the test file's own. */
export type SharedTestStack = {
  /** The key and the project of a new organization on the plan Pro. */
  readonly dev: DevFile;
  /** The slug of the project, which has a deployed page. */
  readonly slug: string;
  /** Accepted from gateways. */
  readonly gatewayToken: string;
  /** The data folder of the stack. */
  readonly dataDir: string;
  /** The process ID of a service, such as `edge`. */
  pidOf(service: string): number;
};

/** Settings of the test's own process. */
type InheritedSettings = { readonly PATH: string; readonly HOME: string };

type Shared = {
  readonly stack: TestStack;
  readonly dataDir: string;
  readonly gatewayToken: string;
  readonly exited: Promise<unknown>;
};

/**
 * The stack of this process, with default settings and a gateway token, and a new organization on it. The stack ends with the
 * process. DNS, CA and edge are everybody's: test files add names of their own, and undo what they change for others.
 */
export async function sharedTestStack(env: InheritedSettings): Promise<SharedTestStack> {
  const { stack, dataDir, gatewayToken } = await sharedInProcess('stack', () => start(env));
  const slug = `acme-docs-${randomBytes(3).toString('hex')}`;
  const wanted = { organization: 'Acme', plan: 'pro', project: 'Acme docs', slug };
  const admin = (args: readonly string[]) => administrate(stack.dev.databaseUrl, args);
  const tenant = await createTenant({ apiUrl: stack.dev.apiUrl, admin }, wanted);
  await deployPage(stack.dev.apiUrl, tenant);
  return { dev: { ...stack.dev, ...tenant }, slug, gatewayToken, dataDir, pidOf: (service) => stack.pidOf(service) };
}

async function start(inherited: InheritedSettings): Promise<Shared> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-shared-stack-'));
  const gatewayToken = randomBytes(24).toString('base64url');
  const stack = await startTestStack({
    dataDir,
    env: { ...inherited, GATEWAY_TOKEN: gatewayToken },
    isTemporary: true,
  });
  return { stack, dataDir, gatewayToken, exited: stack.exited };
}
