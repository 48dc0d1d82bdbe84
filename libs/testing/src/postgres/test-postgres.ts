import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../processes/ports.js';
import { sharedInProcess } from '../processes/shared-in-process.js';
import { clusterTemplate, EMPTY, testPostgresSettings, type TestPostgresContents } from './postgres-template.js';
import { keepTemplate, startPostgres } from './postgres.js';

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
