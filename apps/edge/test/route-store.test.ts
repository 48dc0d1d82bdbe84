import { readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openEdgeId } from '../src/store/data-folder.js';
import { RouteReader } from '../src/store/route-cache.js';
import { scanTable } from '../src/store/load-table.js';
import { batchAfter, hostAt, manyRows, position, replaceTable, rowsOf, siteOf, StoreFixture } from './store-fixture.js';

const never = new AbortController().signal;
let fixture: StoreFixture;

beforeEach(async () => (fixture = await StoreFixture.build()));
afterEach(() => fixture.tearDown());

const filesIn = () => readdirSync(fixture.folder).sort();

describe('RouteStore', () => {
  it('starts empty', async () => {
    const { store, found } = await fixture.open();
    expect(found).toBe('none');
    expect(store.position).toEqual({ epoch: '', version: 0, thumbprint: null });
    expect([store.hosts, store.contactAtMs]).toEqual([0, undefined]);
    expect(fixture.find('a.test')).toBeUndefined();
  });

  it('keeps table, position and contact', async () => {
    await fixture.load({ 'a.test': siteOf('c1'), 'b.test': siteOf('c2') });
    fixture.apply({ 'b.test': null, 'c.test': siteOf('c3') });
    fixture.store.saveContact(1_000.5);
    const { store, found } = await fixture.reopen();
    expect(found).toBe('loaded');
    expect(store.position).toEqual({ ...position, version: 6 });
    expect([store.hosts, store.contactAtMs]).toEqual([2, 1_000.5]);
    expect(['a.test', 'b.test', 'c.test'].map((host) => fixture.find(host))).toEqual([
      siteOf('c1'),
      undefined,
      siteOf('c3'),
    ]);
    await scanTable(store.file, never);
  });

  it('describes a batch, and refuses one that does not follow', async () => {
    const store = await fixture.load({ 'a.test': siteOf('c1'), 'b.test': siteOf('c2') });
    expect(fixture.apply({ 'a.test': siteOf('c9'), 'b.test': null, 'x.test': null })).toEqual({
      kind: 'applied',
      change: {
        hosts: ['a.test', 'b.test', 'x.test'],
        stoppedHosts: ['b.test'],
        renewals: [{ from: 'c1', to: 'c9' }],
        droppedCertificates: ['c1', 'c2'],
      },
    });
    const gap = store.apply(batchAfter(position, { 'a.test': null }));
    expect(gap).toEqual({ kind: 'gap', reason: 'a batch after 5 does not follow version 6' });
    expect(fixture.find('a.test')).toEqual(siteOf('c9'));
  });

  it('counts the last of several entries of a host', async () => {
    const store = await fixture.load({ 'a.test': siteOf('c1') });
    const entries = [null, siteOf('c2')].map((route) => ({ host: 'a.test', version: 6, route }));
    const outcome = store.apply({ ...batchAfter(position, {}), entries });
    expect(outcome).toMatchObject({ change: { hosts: ['a.test'], stoppedHosts: [], renewals: [{ from: 'c1' }] } });
    await scanTable(store.file, never);
  });

  it('has no contact after a table was replaced', async () => {
    const store = await fixture.load({});
    store.saveContact(1_000);
    await replaceTable(store, { ...position, version: 9 }, [rowsOf({ 'a.test': siteOf(null) })]);
    expect(store.contactAtMs).toBeUndefined();
    expect((await fixture.reopen()).store.contactAtMs).toBeUndefined();
  });

  it('voids the contact for a deregistration, and restores it when that failed', async () => {
    const store = await fixture.load({});
    store.saveContact(1_000);
    store.voidContact();
    store.saveContact(2_000); // one that was on its way
    expect(store.contactAtMs).toBeUndefined();
    store.restoreContact();
    expect((await fixture.reopen()).store.contactAtMs).toBe(2_000);
    fixture.store.voidContact();
    expect((await fixture.reopen()).store.contactAtMs).toBeUndefined();
    fixture.store.restoreContact();
    expect(fixture.store.contactAtMs).toBeUndefined();
  });

  it('replaces a table while others read it', async () => {
    const store = await fixture.load({ 'a.test': siteOf('c1') });
    fixture.apply({ 'b.test': siteOf('c2') });
    const reader = new RouteReader(store.file);
    try {
      const earlier = store.file;
      await replaceTable(store, { ...position, epoch: 'e2' }, [rowsOf({ 'c.test': siteOf('c3') })]);
      expect(store.file).not.toBe(earlier);
      await store.deleteReplaced();
      expect(['a.test', 'b.test', 'c.test'].map((host) => reader.find(host))).toEqual([
        siteOf('c1'),
        siteOf('c2'),
        undefined,
      ]);
      expect([fixture.find('a.test'), fixture.find('c.test')]).toEqual([undefined, siteOf('c3')]);
      expect(filesIn().filter((name) => name.startsWith('routes-2.'))).toEqual([]);
    } finally {
      reader.close();
    }
  });

  it.each<[string, (stop: AbortController) => Iterable<ReturnType<typeof rowsOf>>, string]>([
    ['has a host twice', () => [rowsOf({ 'x.test': siteOf(null) }), rowsOf({ 'x.test': siteOf(null) })], 'UNIQUE'],
    [
      'breaks off',
      function* () {
        yield rowsOf({ 'x.test': siteOf(null) });
        throw new Error('chunk 2 is truncated');
      },
      'chunk 2 is truncated',
    ],
    [
      'is aborted',
      function* (stop) {
        yield rowsOf({ 'x.test': siteOf(null) });
        stop.abort();
        yield rowsOf({ 'y.test': siteOf(null) });
      },
      'aborted',
    ],
  ])('keeps its table when another one %s', async (_name, rows, message) => {
    const store = await fixture.load({ 'a.test': siteOf('c1') });
    store.saveContact(1_000);
    const before = filesIn();
    const stop = new AbortController();
    await expect(replaceTable(store, { ...position, version: 9 }, rows(stop), stop.signal)).rejects.toThrow(message);
    expect(filesIn()).toEqual(before);
    expect([store.position, store.contactAtMs]).toEqual([position, 1_000]);
    expect(fixture.find('a.test')).toEqual(siteOf('c1'));
  });

  it('deletes leftovers at its start', async () => {
    await fixture.load({ 'a.test': siteOf('c1') });
    fixture.close();
    const expected = filesIn();
    const leftovers = [
      'routes-1.db',
      'routes-1.db-wal',
      'routes-7.db',
      'routes-7.db-shm',
      'routes-7.db.commits',
      'x.tmp',
    ];
    for (const name of leftovers) await writeFile(join(fixture.folder, name), 'left');
    await fixture.open();
    fixture.close();
    expect(filesIn()).toEqual(expected);
    expect((await fixture.open()).store.hosts).toBe(1);
  });

  it('lets only the owner read its files', async () => {
    await fixture.load({});
    fixture.apply({ 'a.test': siteOf('c1') });
    const modes = filesIn().map((name) => statSync(join(fixture.folder, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(modes).toHaveLength(5);
  });

  it('writes nothing for an empty batch of the same version', async () => {
    const store = await fixture.load({});
    expect(store.apply({ ...batchAfter(position, {}), version: 5 })).toMatchObject({ change: { hosts: [] } });
    expect(statSync(`${store.file}-wal`).size).toBe(0);
  });

  it('scans in slices, and sees one moment of the table', async () => {
    const { store } = await fixture.open();
    await replaceTable(store, position, manyRows(20_000));
    let ticks = 0;
    const count = setInterval(() => {
      ticks += 1;
      fixture.apply({ [hostAt(19_000 + ticks)]: null });
    }, 1);
    await scanTable(store.file, never).finally(() => clearInterval(count));
    expect(ticks).toBeGreaterThan(1);
    await expect(scanTable(store.file, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });
});

it('keeps the id of the edge', async () => {
  const id = await openEdgeId(fixture.folder);
  expect(await openEdgeId(fixture.folder)).toBe(id);
  await writeFile(join(fixture.folder, 'edge-id'), 'no id\n');
  expect(await openEdgeId(fixture.folder)).not.toBe(id);
});
