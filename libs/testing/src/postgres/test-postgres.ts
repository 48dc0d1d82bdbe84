import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../processes/ports.js';
import { repositoryRoot } from '../processes/repository-root.js';
import { sharedInProcess } from '../processes/shared-in-process.js';
import { keepTemplate, startPostgres } from './postgres.js';

/** The initial contents of a database: made once, then copied for each test. */
export type TestPostgresContents = {
  readonly name: string;
  /** Files and folders, from the root of the repository, that `fill` depends on: when they change, it runs again. */
  readonly sources: readonly string[];
  readonly fill: (url: string) => Promise<void>;
};

const EMPTY: TestPostgresContents = { name: 'empty', sources: [], fill: () => Promise.resolve() };

/** Tests need no durability after a power failure. Acknowledged commits still survive the kill of a process. */
const testPostgresSettings = { fsync: 'off', full_page_writes: 'off' } as const;

const TEMPLATES = join(repositoryRoot, 'node_modules/.cache/pets-postgres');
/** Decides about templates too. */
const HERE = 'libs/testing/src/postgres/test-postgres.ts';
const DAY_MS = 86_400_000;

/** Makes it where it is missing. @returns the folder of a cluster whose database `postgres` has these contents */
async function clusterTemplate(contents: TestPostgresContents): Promise<string> {
  const template = join(
    TEMPLATES,
    `${contents.name}-${await hashOf(['package-lock.json', HERE, ...contents.sources])}`,
  );
  if (!existsSync(template)) await makeTemplate(template, contents);
  return template;
}

async function makeTemplate(template: string, { name, fill }: TestPostgresContents): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-postgres-'));
  const dataDir = join(folder, 'data');
  const server = await startPostgres({ dataDir, port: await freePort(), settings: testPostgresSettings });
  try {
    await fill(server.url);
    await cheapenConnections(server.url);
    await server.stop();
    await keepTemplate(dataDir, template);
  } finally {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  }
  await dropOldTemplates(name);
}

/** A password is hashed once for each connection and side, and not 4096 times. */
async function cheapenConnections(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set scram_iterations = 1');
    await client.query(`alter role ${username} password '${password}'`);
  } finally {
    await client.end();
  }
}

/** Deletes templates of a day ago or older; a run that began before a recent change may be copying a newer one. */
async function dropOldTemplates(name: string): Promise<void> {
  for (const entry of await readdir(TEMPLATES)) {
    const path = join(TEMPLATES, entry);
    const madeAt = await stat(path).catch(() => null); // another run may delete it first
    if (entry.startsWith(`${name}-`) && madeAt !== null && madeAt.ctimeMs < Date.now() - DAY_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function hashOf(sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    const path = join(repositoryRoot, source);
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder
      ? (await readdir(path, { recursive: true })).toSorted().map((file) => join(path, file))
      : [path];
    for (const file of files) {
      if ((await stat(file)).isFile()) hash.update(file.slice(repositoryRoot.length)).update(await readFile(file));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

export type TestPostgres = {
  readonly url: string;
  stop(): Promise<void>;
};

/**
 * A database for one test file, on a server that all test files of this process share: roles and settings of the server
 * are not the test's own, and `pg_stat_activity` and `pg_locks` show others too. `startTestPostgresServer` is for tests
 * that change those, or stop the server.
 */
export async function startTestPostgres(contents: TestPostgresContents = EMPTY): Promise<TestPostgres> {
  const server = await sharedPostgres(contents);
  const name = freshName('test');
  // Copies the files: cheaper to drop again than what PostgreSQL does by default, which is to log each page.
  await server.execute(`create database ${name} template postgres strategy file_copy`);
  return { url: server.urlOf(name), stop: () => server.execute(`drop database ${name} with (force)`) };
}

export type ScratchDatabase = { readonly url: string; drop(): Promise<void> };

/** An empty database with a unique name. Dropping it ends its connections. */
export async function scratchDatabase(adminUrl: string): Promise<ScratchDatabase> {
  const name = freshName('scratch');
  // Not of `template1`, to which somebody may be connected.
  await execute(adminUrl, `create database ${name} template template0`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`) };
}

function freshName(kind: string): string {
  return `${kind}_${randomBytes(8).toString('hex')}`;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 30_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Server whose database `postgres` is the template of others, so nobody may be connected to it. */
type SharedPostgres = {
  /** Returns the URL of a database, which need not exist. */
  urlOf(database: string): string;
  /** Executes a statement outside of every test's database. */
  execute(statement: string): Promise<void>;
  readonly exited: Promise<unknown>;
};

/** The server of this process for such contents. It ends with the process. */
function sharedPostgres(contents: TestPostgresContents): Promise<SharedPostgres> {
  return sharedInProcess(`postgres ${contents.name}`, () => start(contents));
}

async function start(contents: TestPostgresContents): Promise<SharedPostgres> {
  const { url, exited } = await startPostgres({
    dataDir: join(tmpdir(), `pets-test-postgres-${randomBytes(6).toString('hex')}`),
    port: await freePort(),
    template: await clusterTemplate(contents),
    // Would connect to the template, and analyze tables in the middle of a test.
    settings: { ...testPostgresSettings, autovacuum: 'off' },
    isTemporary: true,
  });
  const urlOf = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  // One kept connection, which does not keep the process alive, and is replaced after an error.
  const connections = new pg.Pool({
    connectionString: urlOf('template1'),
    ...{ max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true },
    ...{ connectionTimeoutMillis: 10_000, query_timeout: 30_000 },
  });
  connections.on('error', () => undefined);
  const execute = async (statement: string) => void (await connections.query(statement));
  return { urlOf, execute, exited };
}

export interface TestPostgresServer extends TestPostgres {
  /** Copies the server, with a short interruption: a standby that receives nothing from then on. Once for a server. */
  keepStandby(): Promise<LaggingStandby>;
}

type LaggingStandby = {
  /** Replaces the server, at the same address. What was committed after the copy is lost. */
  promote(): Promise<void>;
};

/** A PostgreSQL server for one test alone, which may stop it or change what belongs to all databases. */
export async function startTestPostgresServer(contents: TestPostgresContents = EMPTY): Promise<TestPostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-postgres-'));
  const options = { dataDir: join(folder, 'data'), port: await freePort(), settings: testPostgresSettings };
  let server = await startPostgres({ ...options, template: await clusterTemplate(contents) });
  const { url } = server;
  const stop = async () => {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  const keepStandby = async () => {
    const standby = join(folder, 'standby');
    await server.stop();
    await keepTemplate(options.dataDir, standby);
    await writeFile(join(standby, 'cluster/standby.signal'), '');
    server = await startPostgres(options);
    const promote = async () => {
      await server.destroy();
      server = await startPostgres({ ...options, dataDir: join(folder, 'promoted'), template: standby });
      await execute(url, 'select pg_promote()');
    };
    return { promote };
  };
  return { url, stop, keepStandby };
}
