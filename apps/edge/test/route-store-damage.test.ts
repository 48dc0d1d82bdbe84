import { cp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EdgeRoute } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import fc from 'fast-check';
import { RouteReader } from '../src/store/route-cache.js';
import { RouteStore } from '../src/store/route-store.js';
import { StoreDamagedError } from '../src/store/store-damaged-error.js';
import { scanTable } from '../src/store/load-table.js';
import { hostAt, manyRows, position, replaceTable, siteOf, StoreFixture } from './store-fixture.js';

const HOSTS = 400;
const never = new AbortController().signal;
let fixture: StoreFixture;
let crashed: string;
/** Content of the table after the last commit; null: removed. */
let expected: Map<string, EdgeRoute | null>;

/** A store of a process that was killed: its last commits are in the write-ahead log only. */
beforeEach(async () => {
  fixture = await StoreFixture.build();
  const { store } = await fixture.open();
  await replaceTable(store, position, manyRows(HOSTS));
  await store.deleteReplaced();
  expected = new Map([...manyRows(HOSTS)].flat().map(({ host, route }) => [host, JSON.parse(route) as EdgeRoute]));
  store.saveContact(1_000);
  for (let index = 0; index < HOSTS; index += 40) {
    const changed = {
      [hostAt(index)]: null,
      [hostAt(index + 1)]: siteOf('changed'),
      [`new-${index}.test`]: siteOf('new'),
    };
    fixture.apply(changed);
    Object.entries(changed).forEach(([host, route]) => expected.set(host, route));
  }
  crashed = `${fixture.folder}-crashed`;
  await cp(fixture.folder, crashed, { recursive: true });
  fixture.close();
  await restore();
});

afterEach(async () => {
  await fixture.tearDown();
  await rm(crashed, { recursive: true, force: true });
});

async function restore(): Promise<void> {
  await rm(fixture.folder, { recursive: true, force: true });
  await cp(crashed, fixture.folder, { recursive: true });
}

const pathOf = (name: string) => join(fixture.folder, name);

/** The earlier state of the table file, which a disk that lost its latest writes would show. */
async function olderTable(): Promise<Buffer> {
  const older = await StoreFixture.build();
  try {
    await cp(crashed, older.folder, { recursive: true });
    await rm(join(older.folder, 'routes-2.db-wal'));
    return await readFile(join(older.folder, 'routes-2.db'));
  } finally {
    await older.tearDown();
  }
}

/** Another store's table, with routes of its own. */
async function tableOfAnother(): Promise<Buffer> {
  const another = await StoreFixture.build();
  try {
    const { file } = await another.load({ [hostAt(3)]: siteOf('of another') });
    another.close();
    return await readFile(file);
  } finally {
    await another.tearDown();
  }
}

/** Each answer is the newest one, or none. @returns whether an answer was missing */
function lookUpAll(): boolean {
  let isMissing = false;
  const reader = readerOrNone();
  for (const [host, route] of expected) {
    const found = reader && findOrNone(reader, host);
    if (found !== undefined) expect([host, found]).toEqual([host, route]);
    if (found === undefined && route !== null) isMissing = true;
  }
  reader?.close();
  return isMissing;
}

function readerOrNone(): RouteReader | undefined {
  try {
    return new RouteReader(fixture.store.file);
  } catch (error) {
    expect(error).toBeInstanceOf(StoreDamagedError);
    return undefined;
  }
}

function findOrNone(reader: RouteReader, host: string): EdgeRoute | undefined {
  try {
    return reader.find(host);
  } catch (error) {
    expect(error).toBeInstanceOf(StoreDamagedError);
    return undefined;
  }
}

async function expectFreshStart(): Promise<void> {
  expect([fixture.store.position.version, fixture.store.hosts, fixture.store.contactAtMs]).toEqual([0, 0, undefined]);
  await replaceTable(fixture.store, position, manyRows(10));
  await fixture.store.deleteReplaced();
  await scanTable(fixture.store.file, never);
  const tables = (await readdir(fixture.folder)).filter((name) => /^routes-\d+\.db$/.test(name));
  expect(tables).toHaveLength(1);
}

it('has everything after a crash without damage', async () => {
  const { store, found } = await fixture.open();
  expect([found, store.contactAtMs, lookUpAll()]).toEqual(['loaded', 1_000, false]);
  await scanTable(store.file, never);
});

describe('a start with', () => {
  it.each<[string, () => Promise<void>, string]>([
    ['an empty table file', () => truncate(pathOf('routes-2.db')), 'format 0 is not 1'],
    ['no table file', () => rm(pathOf('routes-2.db')), 'the table file is missing'],
    ['a file of something else', () => replaceTableFile(Buffer.alloc(9_999, 'x')), 'file is not a database'],
    ['the table of another edge', async () => replaceTableFile(await tableOfAnother()), 'the file is of another table'],
    ['an older table', async () => replaceTableFile(await olderTable()), '11 committed transactions are missing'],
    ['no write-ahead log', () => rm(pathOf('routes-2.db-wal')), '11 committed transactions are missing'],
    ['half of the write-ahead log', () => halve('routes-2.db-wal'), 'committed transactions are missing'],
    ['no commit mark', () => rm(pathOf('routes-2.db.commits')), 'the commit mark is missing or damaged'],
    ['a damaged pointer', () => writeFile(pathOf('routes.current'), '{}'), 'checksum mismatch of the pointer'],
  ])('%s discards the store', async (_name, damage, reason) => {
    await damage();
    expect((await fixture.open()).found).toBe('damaged');
    expect(fixture.logLines[0]).toContain(reason);
    await expectFreshStart();
  });

  async function replaceTableFile(content: Buffer): Promise<void> {
    await writeFile(pathOf('routes-2.db'), content);
    await rm(pathOf('routes-2.db-wal'), { force: true });
  }

  async function halve(name: string): Promise<void> {
    await truncate(pathOf(name), Math.floor((await readFile(pathOf(name))).length / 2));
  }
});

/** Overwrites a part of a file; the places are fractions of its length. */
async function overwrite(name: string, from: number, content: Buffer): Promise<void> {
  const { length } = await readFile(pathOf(name));
  const file = await open(pathOf(name), 'r+');
  await file.write(content, 0, content.length, Math.floor(from * length));
  await file.close();
}

it('never serves a wrong route, whatever part of it is truncated, zeroed or overwritten', async () => {
  const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const content = fc.oneof(
    fc.integer({ min: 1, max: 20_000 }).map((length) => Buffer.alloc(length)),
    fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    fc.uint8Array({ minLength: 2_048, maxLength: 2_048 }).map((bytes) => Buffer.from(bytes)),
  );
  const names = ['routes-2.db', 'routes-2.db', 'routes-2.db-wal', 'routes-2.db.commits', 'routes.current'];
  const damages = fc.tuple(fc.constantFrom(...names), place, fc.option(content));
  await fc.assert(
    fc.asyncProperty(damages, async ([name, from, overwritten]) => {
      await restore();
      if (overwritten !== null) await overwrite(name, from, overwritten);
      else await truncate(pathOf(name), Math.floor(from * (await readFile(pathOf(name))).length));

      const { store, found } = await fixture.open();
      if (found === 'damaged') {
        await expectFreshStart();
      } else if (lookUpAll()) {
        await expect(scanTable(store.file, never)).rejects.toThrow(StoreDamagedError);
        await store.discard('found by the scan');
        await expectFreshStart();
      }
      fixture.close();
    }),
    { numRuns: 80 },
  );
});

it('finds two parts that the disk has exchanged', async () => {
  const PAGE_BYTES = 2_048;
  await fixture.reopen();
  fixture.close(); // the write-ahead log is in the table now
  const table = await readFile(pathOf('routes-2.db'));
  const leafOf = (host: string) => Math.floor(table.indexOf(host) / PAGE_BYTES) * PAGE_BYTES;
  const [one, other] = [leafOf(hostAt(102)), leafOf(hostAt(303))];
  const page = Buffer.from(table.subarray(one, one + PAGE_BYTES));
  table.copyWithin(one, other, other + PAGE_BYTES);
  page.copy(table, other);
  await writeFile(pathOf('routes-2.db'), table);

  const { store, found } = await fixture.open();
  expect([found, lookUpAll()]).toEqual(['loaded', true]);
  await expect(scanTable(store.file, never)).rejects.toThrow(StoreDamagedError);
});

it('finds a page that the disk did not write', async () => {
  const { file } = (await fixture.open()).store;
  fixture.close();
  const before = await readFile(file);
  await fixture.open();
  const { certificateId = null } = expected.get(hostAt(355)) ?? {};
  fixture.apply({ [hostAt(355)]: siteOf(certificateId, 'f'.repeat(64)) });
  fixture.close();
  const after = await readFile(file);
  const PAGE_BYTES = 2_048;
  const start = Math.floor(after.indexOf(hostAt(355)) / PAGE_BYTES) * PAGE_BYTES;
  before.copy(after, start, start, start + PAGE_BYTES);
  await writeFile(file, after);

  const { store, found } = await fixture.open();
  expect(found).toBe('loaded');
  await expect(scanTable(store.file, never)).rejects.toThrow(new StoreDamagedError('checksum mismatch of the table'));
});

it('refuses a second writer, whose position would be outdated', async () => {
  const { store } = await fixture.open();
  const { store: second } = await RouteStore.open(fixture.folder, createLogger('edge', 'silent'));
  store.saveContact(2_000);
  expect(() => second.saveContact(3_000)).toThrow(new StoreDamagedError('another process has changed it'));
  second.close();
  expect(store.contactAtMs).toBe(2_000);
});
