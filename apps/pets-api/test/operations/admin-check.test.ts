import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@pets/persistence';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';

const root = resolve(import.meta.dirname, '../../../..');
/** Nothing listens there: the command needs no database for the settings. */
const DATABASE_URL = 'postgres://pets@127.0.0.1:1/pets';
const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const jobKeys = key('j1');

const safe = {
  DATABASE_URL,
  ENVIRONMENT: 'production',
  PUBLIC_URL: 'https://api.example.com',
  PLATFORM_DOMAIN: 'github.io',
  TRUSTED_PROXIES: 'none',
  INTERNAL_PORT: '3001',
  QUEUE_KEYS_EVENTS: key('e1'),
  CERTIFICATE_KEKS: key('k1'),
  APP_SECRET: randomBytes(48).toString('base64'),
  EDGE_TOKEN: randomBytes(32).toString('hex'),
};
/** Finding about the public addresses, which are in the database. */
const unread = {
  name: 'DATABASE_URL',
  severity: 'warning',
  problem: expect.stringContaining('public addresses were not checked'),
  action: expect.any(String),
};
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-check-'));
  await writeFile(join(folder, 'jobs'), `${jobKeys}\n`);
});
afterAll(() => rm(folder, { recursive: true }));

interface Checked {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program, as an operator runs it. */
function check(settings: Readonly<Record<string, string>>): Promise<Checked> {
  const program = ['--import', join(root, 'tools/sources/register.mjs'), join(root, 'apps/pets-api/src/admin.ts')];
  const env = { PATH: '', ...safe, QUEUE_KEYS_JOBS_FILE: join(folder, 'jobs'), ...settings };
  return new Promise((done) => {
    const child = execFile(process.execPath, [...program, 'check'], { env, cwd: root }, (_error, stdout, stderr) =>
      done({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe('admin check, as a program', () => {
  it('prints that a safe installation is safe, with exit code 0', async () => {
    const { code, stdout, stderr } = await check({});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ ok: true, findings: [unread] });
  });

  it('prints errors as JSON, with exit code 1', async () => {
    const { code, stdout, stderr } = await check({
      QUEUE_KEYS_EVENTS: jobKeys,
      TRUSTED_PROXIES: '',
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      findings: [
        ...['QUEUE_KEYS_EVENTS', 'TRUSTED_PROXIES'].map((name) => ({
          name,
          severity: 'error',
          problem: expect.any(String),
          action: expect.any(String),
        })),
        unread,
      ],
    });
  });

  it('finds settings that keep pets-api from starting', async () => {
    const { code, stdout } = await check({ QUEUE_KEYS_JOBS: 'j1:c2hvcnQ=', EDGE_TOKEN: '' });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [{ name: 'QUEUE_KEYS_JOBS' }, { name: 'EDGE_TOKEN' }, unread],
    });
  });

  it('prints a warning with exit code 0', async () => {
    const { code, stdout } = await check({ PLATFORM_DOMAIN: 'pets.example.com' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      findings: [{ name: 'PLATFORM_DOMAIN', severity: 'warning' }, unread],
    });
  });
});

describe('admin check, as a command', () => {
  let db: Database;
  beforeAll(() => {
    db = openDatabase({ url: DATABASE_URL, onConnectionError: () => undefined });
  });
  afterAll(() => db.destroy());

  it('takes no option but --by', async () => {
    const config = { ENVIRONMENT: 'development' } as const;
    await expect(runAdminCommand(['check', '--all'], db, config)).rejects.toThrow('usage:\n  admin check');
    expect(await runAdminCommand(['check', '--by', 'ann'], db, config)).toMatchObject({ ok: false });
  });
});
