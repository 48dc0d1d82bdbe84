import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../src/processes/ports.js';
import { keepTemplate, startPostgres, type RunningPostgres } from '../src/postgres/postgres.js';
import { repositoryRoot } from '../src/processes/repository-root.js';
import { waitUntil } from '../src/processes/wait-until.js';

const fast = { fsync: 'off' };

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[]; // shape given by the query's text
  } finally {
    await client.end();
  }
}

describe('embedded PostgreSQL', () => {
  let folder: string;
  let running: RunningPostgres;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pets-postgres-'));
    running = await startPostgres({ dataDir: join(folder, 'data'), port: await freePort(), settings: fast });
  });

  afterAll(async () => {
    await running.destroy();
    await rm(folder, { recursive: true, force: true });
  });

  it('is UTF8 with the C collation, and asks for a password', async () => {
    expect(
      await query(
        running.url,
        `select pg_encoding_to_char(encoding) e, datlocale l from pg_database where datname = 'postgres'`,
      ),
    ).toEqual([{ e: 'UTF8', l: 'C.UTF-8' }]);
    const wrong = new URL(running.url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  });

  it('keeps its data across a restart', async () => {
    await query(running.url, 'create table kept as select 42 as answer');
    await running.stop();
    running = await startPostgres({ dataDir: join(folder, 'data'), port: await freePort(), settings: fast });
    expect(await query(running.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('is copied whole where a template is given, and lives its own life', async () => {
    const template = join(folder, 'template');
    await running.stop();
    await keepTemplate(join(folder, 'data'), template);
    await keepTemplate(join(folder, 'data'), template); // another maker was slower
    running = await startPostgres({ dataDir: join(folder, 'data'), port: await freePort(), settings: fast });
    const dataDir = join(folder, 'copy');
    let copy = await startPostgres({ dataDir, port: await freePort(), template, settings: fast });
    await query(copy.url, 'update kept set answer = 43');
    await copy.stop();
    copy = await startPostgres({ dataDir, port: await freePort(), template, settings: fast });
    expect(await query(copy.url, 'select answer from kept')).toEqual([{ answer: 43 }]);
    expect(await query(running.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await copy.destroy();
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'template']);
  });

  it('refuses a second server on the same data, naming the process that runs', async () => {
    await expect(startPostgres({ dataDir: join(folder, 'data'), port: await freePort() })).rejects.toThrow(
      `PostgreSQL (process ${running.pid}) is already running on `,
    );
  });

  it('starts after a kill, even when its old process id now belongs to a stranger', async () => {
    const [row] = await query<{ data_directory: string }>(running.url, 'show data_directory');
    const cluster = row?.data_directory ?? '';
    process.kill(running.pid, 'SIGKILL');
    await running.exited;
    const lock = join(cluster, 'postmaster.pid');
    const lines = (await readFile(lock, 'utf8')).split('\n');
    await writeFile(lock, [String(process.ppid), ...lines.slice(1)].join('\n'));
    running = await startPostgres({ dataDir: join(folder, 'data'), port: await freePort(), settings: fast });
    expect(await query(running.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });
});

it('that is temporary does not keep its process alive, and ends with it, with its data', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pets-postgres-temporary-'));
  const dataDir = join(folder, 'data');
  const program = `
    import { freePort } from './libs/testing/src/processes/ports.ts';
    import { startPostgres } from './libs/testing/src/postgres/postgres.ts';
    const options = { dataDir: ${JSON.stringify(dataDir)}, settings: { fsync: 'off' }, isTemporary: true };
    console.log((await startPostgres({ ...options, port: await freePort() })).pid);
  `;
  const args = ['--import', './tools/sources/register.mjs', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repositoryRoot, timeout: 60_000 });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(0);
  await waitUntil(() => !existsSync(`/proc/${pid}`) && !existsSync(dataDir), { message: 'the server to be gone' });
  await rm(folder, { recursive: true });
});

/** For root alone: the server runs as another user, who cannot reach a private folder, so its data are kept elsewhere. */
const describeForRoot = process.getuid?.() === 0 ? describe : () => undefined;
describeForRoot('started by root on a private folder', () => {
  it('never finds data again whose folder was deleted, and prunes them at the next start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pets-postgres-root-'));
    const start = async () => startPostgres({ dataDir: join(folder, 'data'), port: await freePort(), settings: fast });
    const first = await start();
    const [row] = await query<{ data_directory: string }>(first.url, 'show data_directory');
    const cluster = row?.data_directory ?? '';
    await query(first.url, 'create table old_data (id int)');
    await first.stop();
    expect(cluster).toMatch(/^\/var\/lib\/pets-embedded\/data-/);
    await rm(join(folder, 'data'), { recursive: true });
    const second = await start();
    await expect(query(second.url, 'select * from old_data')).rejects.toThrow('does not exist');
    expect(existsSync(cluster)).toBe(false);
    await second.destroy();
    await rm(folder, { recursive: true });
  });
});
