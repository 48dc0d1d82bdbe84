import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase, openDatabase, type Database } from '@pets/persistence';
import { createLogger, parseKeyRing } from '@pets/platform';
import { scratchDatabase, startTestPostgres, waitUntil, type TestPostgres } from '@pets/testing';
import { checkKeys, KeyCheck } from '../../src/platform/encryption-keys/key-check.js';
import { ShuttingDown } from '../../src/platform/shutting-down.js';

const newRing = (id: string) => parseKeyRing(`${id}:${randomBytes(32).toString('base64')}`);

let postgres: TestPostgres;
let db: Database;
let stopping: ShuttingDown;
let logged: unknown[] = [];
const log = Object.assign(createLogger('key-check-test', 'silent'), {
  error: (...line: unknown[]) => void logged.push(...line),
});

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());
afterEach(async () => {
  stopping.beginShutdown();
  await db.destroy();
});

async function openEmpty(): Promise<void> {
  logged = [];
  stopping = new ShuttingDown();
  db = openDatabase({ url: (await scratchDatabase(postgres.url)).url, onConnectionError: () => undefined });
}

async function start(ring: ReturnType<typeof newRing>): Promise<KeyCheck> {
  const check = new KeyCheck({ CERTIFICATE_KEKS: ring }, db, log, stopping);
  await check.onModuleInit();
  return check;
}

describe('the keys of a process', () => {
  it('are usable on a migrated database', async () => {
    await openEmpty();
    await migrateDatabase(db);
    const check = await start(newRing('a'));
    // At once, or a try later where the machine was busy for longer than a start waits.
    await waitUntil(() => check.isUsable, { timeoutMs: 15_000, message: 'the keys to be checked' });
    expect(check.problems).toEqual([]);
  });

  it('become usable automatically when the migration ends after the start', async () => {
    await openEmpty();
    const check = await start(newRing('a'));
    expect(check.isUsable).toBe(false);
    expect(check.problems).toEqual(['key-encryption keys (not checked yet)']);
    await migrateDatabase(db);
    await waitUntil(() => check.isUsable, { message: 'the keys to be checked' });
  });

  it('are logged by id with an instruction when they are wrong, and never shown', async () => {
    await openEmpty();
    await migrateDatabase(db);
    await checkKeys(db, newRing('a'));
    expect((await start(newRing('a'))).isUsable).toBe(false);
    expect(logged).toEqual([
      'not ready: key-encryption key "a" does not match the key that encrypted the data: correct it in CERTIFICATE_KEKS',
    ]);
  });
});
