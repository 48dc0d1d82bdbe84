import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startPostgres } from '@pets/dev-stack';
import pg from 'pg';
import { clusterTemplate, testPostgresSettings, type TestPostgresContents } from './postgres-template.js';
import { sharedInProcess } from './shared-in-process.js';

/** Whose database `postgres` is the template of others, so nobody may be connected to it. */
export type SharedPostgres = {
  /** Of a database, which need not exist. */
  urlOf(database: string): string;
  /** Executes a statement outside of every test's database. */
  execute(statement: string): Promise<void>;
  readonly exited: Promise<unknown>;
};

/** The server of this process for such contents. It ends with the process. */
export function sharedPostgres(contents: TestPostgresContents): Promise<SharedPostgres> {
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
