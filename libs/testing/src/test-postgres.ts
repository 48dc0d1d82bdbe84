import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startPostgres } from '@pets/dev-stack';
import pg from 'pg';

export type TestPostgres = { readonly url: string; readonly pid: number; stop(): Promise<void> };

/** Nothing a test writes needs to survive a power cut; acknowledged commits still survive the kill of a process. */
const FAST = { fsync: 'off', full_page_writes: 'off' } as const;

/** A PostgreSQL server of the test's own, gone with the test process at the latest. */
export async function startTestPostgres(settings: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-postgres-'));
  const server = await startPostgres({
    dataDir: join(folder, 'data'),
    port: await freePort(),
    settings: { ...FAST, ...settings },
  });
  const stop = async () => {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, pid: server.pid, stop };
}

export type ScratchDatabase = { readonly url: string; drop(): Promise<void> };

/** An empty database with a name nobody else has. Dropping it cuts whoever is still connected. */
export async function scratchDatabase(adminUrl: string): Promise<ScratchDatabase> {
  const name = `scratch_${randomBytes(8).toString('hex')}`;
  await execute(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`) };
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
