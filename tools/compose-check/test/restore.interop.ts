import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '@pets/testing/processes';

/** `backup.sh restore` with the programs of PostgreSQL and a real server: a backup that does not restore changes nothing. */

jest.setTimeout(120_000);

const script = join(import.meta.dirname, '../../../deploy/backup/backup.sh');
const LIMIT_MS = 60_000;
const GOOD = '2026-01-01T000000Z';
const BROKEN = '2026-01-02T000000Z';

/** Programs and server of one version: `pg_dump` refuses a newer server. */
const programs = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1);
/** PostgreSQL refuses to run as root. */
const asOwner = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
const describeWithPrograms = programs === undefined ? describe.skip : describe;

describeWithPrograms('the restore', () => {
  let folder: string;
  let serverUrl: string;
  let env: Record<string, string>;

  const run = (program: string, args: readonly string[], more: Record<string, string> = {}) =>
    promisify(execFile)(program, args, { env: { ...env, ...more }, timeout: LIMIT_MS }).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, said: stdout + stderr }),
    );
  const control = async (program: string, ...args: string[]) => {
    const [command = '', ...rest] = [...asOwner, join(programs ?? '', program), ...args];
    // Not `run`: the server keeps the pipes of its starter open.
    const child = spawn(command, rest, { stdio: 'ignore', cwd: '/' });
    const [code] = (await once(child, 'exit')) as [number];
    if (code !== 0) throw new Error(`${program} exited with ${code}`);
  };
  const backup = (...args: string[]) => run(script, args);
  const sql = async (database: string, ...statements: string[]) => {
    const url = new URL(serverUrl);
    url.pathname = `/${database}`;
    const commands = statements.map((statement) => `--command=${statement}`);
    const { code, said } = await run('psql', [url.href, '-qXAt', '-v', 'ON_ERROR_STOP=1', ...commands]);
    if (code !== 0) throw new Error(said);
    return said.trim();
  };
  const databases = async () =>
    (await sql('postgres', `select datname from pg_database where datname like 'my-pets%' order by 1`)).split('\n');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pets-restore-'));
    await chmod(folder, 0o777);
    const port = await freePort();
    serverUrl = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await control('initdb', '--username=postgres', '--auth=trust', '--no-sync', '-D', join(folder, 'data'));
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
    await control('pg_ctl', 'start', '-w', '-D', join(folder, 'data'), '-l', join(folder, 'log'), '-o', options);
    const address = new URL(serverUrl);
    address.pathname = '/my-pets';
    env = {
      PATH: `${programs}:${process.env['PATH']}`,
      BACKUPS_FOLDER: join(folder, 'backups'),
      DEPLOYMENTS_FOLDER: join(folder, 'deployments'),
      DATABASE_URL: address.href,
    };
    for (const name of ['backups', 'deployments']) await mkdir(join(folder, name));
  });
  afterAll(async () => {
    await control('pg_ctl', 'stop', '-m', 'fast', '-D', join(folder, 'data'));
    await rm(folder, { recursive: true, force: true });
  });

  /** A backup of a database with the animal Rex, which has Bella by now. */
  beforeEach(async () => {
    for (const name of (await databases()).filter(Boolean))
      await sql('postgres', `drop database "${name}" with (force)`);
    await sql('postgres', 'create database "my-pets"');
    await sql(
      'my-pets',
      'create table kysely_migration (name text)',
      `insert into kysely_migration values ('0001-baseline')`,
      'create table pets (name text)',
      `insert into pets select 'Rex ' || number from generate_series(1, 20000) number`,
      `create table last_backup (only_row boolean primary key default true, finished_at timestamptz, bytes bigint, interval_seconds int)`,
    );
    const backups = join(folder, 'backups');
    for (const name of await readdir(backups)) await rm(join(backups, name), { recursive: true });
    expect(await backup('now')).toMatchObject({ code: 0 });
    const [made = ''] = (await backup('list')).said.trim().split('\n');
    await mkdir(join(backups, BROKEN));
    await mkdir(join(backups, GOOD));
    for (const name of ['pets.dump', 'deployments.tar']) {
      await copyFile(join(backups, made, name), join(backups, GOOD, name));
      await copyFile(join(backups, made, name), join(backups, BROKEN, name));
    }
    await sql('my-pets', 'truncate pets', `insert into pets values ('Bella')`);
  });

  it('replaces the database and keeps the former one under another name', async () => {
    const { code, said } = await backup('restore', GOOD);
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/restored .*\n.*former database is my-pets_before_\d{8}_\d{6}: /),
    ]);
    expect(await sql('my-pets', 'select count(*) from pets')).toBe('20000');
    const [, former = ''] = await databases();
    expect(await databases()).toEqual(['my-pets', expect.stringMatching(/^my-pets_before_\d{8}_\d{6}$/)]);
    expect(await sql(former, 'select name from pets')).toBe('Bella');
  });

  it('refuses a backup of a version before 1.0, and changes nothing', async () => {
    const backups = join(folder, 'backups');
    for (const name of await readdir(backups)) await rm(join(backups, name), { recursive: true });
    await sql('my-pets', `update kysely_migration set name = '0001-initial'`);
    expect(await backup('now')).toMatchObject({ code: 0 });
    const made = (await backup('list')).said.trim();
    const { code, said } = await backup('restore', made);
    expect(code).toBe(1);
    expect(said).toBe(
      `backup: ${join(backups, made)} was made by a version before 1.0: restore it with that version, or choose another\n`,
    );
    expect(await databases()).toEqual(['my-pets']);
    expect(await sql('my-pets', 'select name from pets')).toBe('Bella');
  });

  it('restores on a new server, which has no database yet', async () => {
    await sql('postgres', 'drop database "my-pets"');
    expect(await backup('restore', GOOD)).toMatchObject({ code: 0 });
    expect(await databases()).toEqual(['my-pets']);
    expect(await sql('my-pets', 'select count(*) from pets')).toBe('20000');
  });

  it.each(['pets.dump', 'deployments.tar'])('leaves the database as it is if %s is damaged', async (name) => {
    const path = join(folder, 'backups', BROKEN, name);
    if (name === 'pets.dump') {
      // The table of contents, which is at the beginning, is whole; rows are missing.
      const { stdout } = await promisify(execFile)('stat', ['--format=%s', path]);
      await promisify(execFile)('truncate', ['--size', String(Math.floor(Number(stdout) * 0.6)), path]);
    } else await writeFile(path, 'no archive');
    const { code, said } = await backup('restore', BROKEN);
    expect([code, said]).toEqual([1, expect.stringContaining(`${BROKEN} does not restore; the database is unchanged`)]);
    expect(await databases()).toEqual(['my-pets']);
    expect(await sql('my-pets', 'select name from pets')).toBe('Bella');
    expect(await backup('restore', GOOD)).toMatchObject({ code: 0 });
  });

  it('refuses while somebody uses the database', async () => {
    const session = sql('my-pets', 'select pg_sleep(600)').catch(() => undefined);
    const used = `select count(*) from pg_stat_activity where query like 'select pg_sleep%'`;
    while ((await sql('postgres', used)) !== '1');
    expect(await backup('restore', GOOD)).toEqual({ code: 1, said: expect.stringContaining('stop pets-api') });
    await sql('postgres', `select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'`);
    await session;
    expect(await databases()).toEqual(['my-pets']);
  });

  it('passes sslmode of the address on, and refuses parameters that it would ignore', async () => {
    const { DATABASE_URL: address = '' } = env;
    const refused = await run(script, ['now'], { DATABASE_URL: `${address}?sslmode=require` });
    expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('server does not support SSL')]);
    expect(await run(script, ['now'], { DATABASE_URL: `${address}?sslmode=prefer` })).toMatchObject({ code: 0 });
    const unknown = await run(script, ['now'], { DATABASE_URL: `${address}?options=-c` });
    expect([unknown.code, unknown.said]).toEqual([2, expect.stringContaining('has the parameter options')]);
  });
});
