import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openFileStorage, type FileStorage } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { StoreDamagedError } from '../src/store/store-damaged-error.js';
import { workBySize, workInProcesses, type TableWork } from '../src/tables/table-work.js';
import { childrenOf, sourceOptions } from './edge-processes.js';
import { position, siteOf, StoreFixture } from './store-fixture.js';
import { writeSnapshot } from './write-snapshot.js';

const never = new AbortController().signal;
const program = { path: join(import.meta.dirname, '../src/tables/table-main.ts'), execArgv: sourceOptions };

let fixture: StoreFixture;
let storage: FileStorage;
const storageUrl = () => pathToFileURL(join(fixture.folder, 'files')).href;
const work = () => workInProcesses(program, storageUrl());

beforeEach(async () => {
  fixture = await StoreFixture.build();
  storage = await openFileStorage(storageUrl());
});
afterEach(() => fixture.tearDown());

async function writeRoutes(): Promise<ReturnType<typeof writeSnapshot>> {
  const rows = [{ host: 'a.test', version: 3, route: siteOf('c1') }];
  return writeSnapshot(storage, { ...position, version: 9, rows });
}

it('loads a snapshot in a process of its own, and finds damage in another', async () => {
  const [reference, { store }] = [await writeRoutes(), await fixture.open()];
  await store.replaceTable((table) => work().load(reference, table, never));
  expect(store.position).toEqual({ epoch: 'e1', version: 9, thumbprint: 'T' });
  expect([store.contactAtMs, store.hosts, fixture.find('a.test')]).toEqual([undefined, 1, siteOf('c1')]);
  await work().scan(store.file, never);
  const db = new DatabaseSync(store.file);
  db.exec("UPDATE routes SET host = 'b.test'");
  db.close();
  await expect(work().scan(store.file, never)).rejects.toEqual(new StoreDamagedError('checksum mismatch of b.test'));
});

it('needs no process for a small table', async () => {
  const used: string[] = [];
  const recording = (name: string): TableWork => ({
    load: async ({ manifestBytes }) => void used.push(`${name} loads ${manifestBytes}`),
    scan: async () => void used.push(`${name} scans`),
  });
  const bySize = workBySize(recording('this process'), recording('another'));
  const [reference, { store }] = [await writeRoutes(), await fixture.open()];
  const table = { path: join(fixture.folder, 'new.db'), tableId: 't' };
  await bySize.load({ ...reference, manifestBytes: 1_024 }, table, never);
  await bySize.load({ ...reference, manifestBytes: 1_025 }, table, never);
  await bySize.scan(store.file, never);
  expect(used).toEqual(['this process loads 1024', 'another loads 1025', 'this process scans']);
});

it('leaves the table and no file when a snapshot cannot be loaded', async () => {
  const [reference, { store }] = [await writeRoutes(), await fixture.open()];
  const before = readdirSync(fixture.folder).sort();
  const damaged = { ...reference, manifestSha256: 'a'.repeat(64) };
  await expect(store.replaceTable((table) => work().load(damaged, table, never))).rejects.toThrow('another SHA-256');
  expect(readdirSync(fixture.folder).sort()).toEqual(before);
});

it('ends with its process when it is aborted', async () => {
  const reference = await writeRoutes();
  const abort = new AbortController();
  const loading = work().load(reference, { path: join(fixture.folder, 'new.db'), tableId: 't' }, abort.signal);
  const running = () => childrenOf(process.pid, 'table-main').length;
  await waitUntil(() => running() === 1, { message: 'it has a process' });
  abort.abort(new Error('stopped'));
  await expect(loading).rejects.toThrow('stopped');
  expect(running()).toBe(0);
});
