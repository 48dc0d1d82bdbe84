import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { EMPTY, type TestPostgresContents } from './postgres-template.js';
import { sharedPostgres } from './shared-postgres.js';

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

export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 30_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
