import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing/processes';

/**
 * Behaviour of the service `backup` without a database. `npm run compose-check` makes backups with it, and restores
 * one.
 */

const script = join(import.meta.dirname, '../../../deploy/backup/backup.sh');
const LIMIT_MS = 20_000;
const HOUR_MS = 3_600_000;

let folder: string;

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'pets-backups-'))));
afterEach(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const given = {
    PATH: process.env['PATH'],
    BACKUPS_FOLDER: folder,
    DATABASE_URL: 'postgres://a@127.0.0.1:1/pets',
    ...env,
  };
  return promisify(execFile)(script, args, { env: given, timeout: LIMIT_MS }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, said: stdout + stderr }),
  );
}

async function addBackup(name: string, ageMs: number): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'pets.dump'), '');
  const at = new Date(Date.now() - ageMs);
  await utimes(join(folder, name), at, at);
}

/** Programs of PostgreSQL, as far as the script needs them; the database has organizations or not. */
async function fakePrograms(hasOrganizations: boolean): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const programs = {
    psql: `case "$*" in *organizations*) echo ${hasOrganizations ? 't' : 'f'} ;; esac`,
    pg_dump: 'for argument; do case $argument in --file=*) echo dump > "${argument#--file=}" ;; esac; done',
    pg_restore: ':',
  };
  for (const [name, text] of Object.entries(programs))
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o700 });
  return bin;
}

/** Runs the service until it has printed a line about a backup. */
async function runService(hasOrganizations: boolean): Promise<string> {
  const bin = await fakePrograms(hasOrganizations);
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    BACKUPS_FOLDER: folder,
    DEPLOYMENTS_FOLDER: bin,
    BACKUP_KEEP: '2',
    DATABASE_URL: 'postgres://a@127.0.0.1:1/pets',
  };
  // A group of its own, with the `sleep` that it waits for.
  const service = spawn(script, [], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(service, 'close');
  let said = '';
  for (const stream of [service.stdout, service.stderr])
    stream.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  try {
    await waitUntil(() => said.includes('backup: '), { timeoutMs: LIMIT_MS, intervalMs: 20, message: 'a backup' });
  } finally {
    process.kill(-(service.pid ?? Number.NaN), 'SIGTERM');
    await ended;
  }
  return said;
}

describe('the service', () => {
  const names = ['2026-01-01T000000Z', '2026-01-02T000000Z'] as const;

  it('keeps its backups on a new machine, whose database is still empty', async () => {
    for (const name of names) await addBackup(name, 30 * HOUR_MS);
    expect(await runService(false)).toContain('none made, because the database has no organization');
    expect((await run(['list'])).said).toBe(`${names.join('\n')}\n`);
  });

  it('replaces its oldest backup when the newest is old', async () => {
    for (const name of names) await addBackup(name, 30 * HOUR_MS);
    const made = /^backup: (\S+Z), \d+ bytes$/m.exec(await runService(true))?.[1];
    expect((await run(['list'])).said).toBe(`${names[1]}\n${made}\n`);
  });

  it('makes the first backup of a new installation', async () => {
    expect(await runService(false)).toMatch(/^backup: \S+Z, \d+ bytes$/m);
  });
});

describe('the backups of the service', () => {
  it('are listed once they are complete, the oldest first', async () => {
    await addBackup('2026-02-02T000000Z', HOUR_MS);
    await addBackup('2026-01-01T000000Z', 2 * HOUR_MS);
    await addBackup('unfinished', 0);
    expect(await run(['list'])).toEqual({ code: 0, said: '2026-01-01T000000Z\n2026-02-02T000000Z\n' });
  });

  it('are healthy until the newest is older than two intervals', async () => {
    expect(await run(['healthy'])).toEqual({ code: 1, said: 'there is no backup yet\n' });
    await addBackup('2026-01-01T000000Z', 5 * HOUR_MS);
    expect(await run(['healthy'], { BACKUP_HOURS: '3' })).toEqual({ code: 0, said: '' });
    expect(await run(['healthy'], { BACKUP_HOURS: '2' })).toEqual({
      code: 1,
      said: 'the newest backup is 5 hours old\n',
    });
  });

  it('leave nothing behind that looks complete when the database cannot be reached', async () => {
    expect((await run(['now'])).code).not.toBe(0);
    expect(await run(['list'])).toEqual({ code: 0, said: '' });
  });

  it.each([
    [['restore', '2026-01-01T000000Z'], {}, 'no backup has the name'],
    [['restore', '../secrets'], {}, 'no backup has the name'],
    [['restore'], {}, 'no backup has the name'],
    [['now'], { BACKUP_HOURS: '0' }, 'BACKUP_HOURS is 0'],
    [['now'], { BACKUP_KEEP: 'all' }, 'BACKUP_KEEP is all'],
    [['delete'], {}, 'unknown command delete'],
    [['list'], { DATABASE_URL: '' }, 'names the file with the address of the database'],
  ])('refuse %j with %j', async (args, env, reason) => {
    const { code, said } = await run(args, env);
    expect(code).not.toBe(0);
    expect(said).toContain(reason);
  });
});
