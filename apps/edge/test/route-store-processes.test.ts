import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { scanTable } from '../src/store/load-table.js';
import { runSource, type SourceProcess } from './run-source.js';
import { hostAt, position, replaceTable, rowsOf, siteOf, StoreFixture } from './store-fixture.js';

const never = new AbortController().signal;
let fixture: StoreFixture;
let processes: SourceProcess[];

beforeEach(async () => {
  fixture = await StoreFixture.build();
  processes = [];
});

afterEach(async () => {
  await Promise.all(processes.map((process) => process.kill()));
  await fixture.tearDown();
});

function run(...args: Parameters<typeof runSource>): SourceProcess {
  const started = runSource(...args);
  processes.push(started);
  return started;
}

it('has the old or the new state after a kill at any moment', async () => {
  let durable = 0;
  for (let round = 0; round < 8; round += 1) {
    const writer = run('store-writer-program.ts', [fixture.folder]);
    const stopAt = durable + 5 + Math.floor(Math.random() * 40);
    while (durable < stopAt) durable = Number(await writer.nextLine());
    await writer.kill();

    const { store, found } = await fixture.open();
    expect(found).toBe('loaded');
    const { version } = store.position;
    expect(version).toBeGreaterThanOrEqual(durable);
    expect([version, version - 1, undefined]).toContain(store.contactAtMs);
    const hashes = [0, 2_999].map((index) => fixture.find(hostAt(index))?.serve);
    expect(hashes).toEqual(Array(2).fill({ kind: 'site', contentHash: String(version) }));
    await scanTable(store.file, never);
    fixture.close();
    durable = version;
  }
});

it('shows each commit to every process that reads', async () => {
  await fixture.load({ 'a.test': siteOf(null, '0') });
  const readers = [1, 2].map(() => run('store-reader-program.ts', [fixture.store.file]));
  for (const reader of readers) expect(await reader.nextLine()).toBe('ready');
  const askAll = (line: string) => Promise.all(readers.map((reader) => reader.ask(line)));
  for (let version = 1; version <= 50; version += 1) {
    fixture.apply({ 'a.test': siteOf(null, String(version)) });
    expect(await askAll('a.test')).toEqual([String(version), String(version)]);
  }
  fixture.apply({ 'a.test': null });
  expect(await askAll('a.test')).toEqual(['none', 'none']);
});

it('lets readers finish with a table that was replaced', async () => {
  const store = await fixture.load({ 'a.test': siteOf(null, 'old') });
  const reader = run('store-reader-program.ts', [store.file]);
  expect(await reader.nextLine()).toBe('ready');
  await replaceTable(store, position, [rowsOf({ 'a.test': siteOf(null, 'new') })]);
  await store.deleteReplaced();
  expect(await reader.ask('a.test')).toBe('old');
  expect(await reader.ask(`open ${store.file}`)).toBe('opened');
  expect(await reader.ask('a.test')).toBe('new');
});

it('goes on when a reading process was killed, or reads on after the writer was', async () => {
  const writer = run('store-writer-program.ts', [fixture.folder]);
  while (Number(await writer.nextLine()) < 25);
  await writer.kill();
  const { store } = await fixture.open();
  const reader = run('store-reader-program.ts', [store.file]);
  expect(await reader.nextLine()).toBe('ready');
  const another = run('store-reader-program.ts', [store.file]);
  expect(await another.nextLine()).toBe('ready');
  await reader.kill();
  fixture.apply({ [hostAt(0)]: siteOf(null, 'after the kill') });
  await fixture.reopen();
  expect(await another.ask(hostAt(0))).toBe('after the kill');
});

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

describeWhen(describe, 'a store on a full disk', canMount ? null : 'unshare cannot mount a small disk here', () => {
  it('rejects what does not fit, keeps the old state, and takes it when there is room', async () => {
    const disk = await mkdtemp(join(tmpdir(), 'small-disk-'));
    try {
      const mount = ['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=2m none ${disk} && exec "$@"`, 'sh'];
      const SQLITE_FULL = 13;
      expect(JSON.parse(await run('store-full-disk-program.ts', [disk], mount).nextLine())).toEqual({
        whileFull: {
          batch: SQLITE_FULL,
          contact: SQLITE_FULL,
          table: SQLITE_FULL,
          version: 5,
          contactAtMs: expect.any(Number),
          isOld: true,
        },
        retried: { batch: 'none', version: 6, contactAtMs: expect.any(Number), isOld: false, isNew: true },
        replaced: 9,
      });
    } finally {
      await rm(disk, { recursive: true });
    }
  });
});
