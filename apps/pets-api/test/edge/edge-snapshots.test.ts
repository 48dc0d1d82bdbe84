import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EdgeRoute } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { buildSnapshot } from '../../src/edge/snapshots/build-snapshot.js';
import { readFeed } from './feed-steps.js';
import { siteRoute, SnapshotFixture } from './snapshot-fixture.js';

const suspended: EdgeRoute = { answersChallenges: false, serve: { kind: 'suspended' }, certificateId: 'c' };

let fixture: SnapshotFixture;

beforeAll(async () => {
  fixture = await SnapshotFixture.start();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.clear());

describe('a snapshot', () => {
  it('has every served and suspended host in the order of bytes, and no ended one', async () => {
    await fixture.publish({
      'b.test': siteRoute,
      'a-b.test': siteRoute,
      'a.test': suspended,
      'xn--a.test': siteRoute,
      'gone.test': siteRoute,
    });
    const version = await fixture.publish({ 'gone.test': null });
    const reference = await fixture.service().current();
    const { rows } = await fixture.load(reference);
    expect(reference.version).toBe(version);
    expect([...rows]).toEqual([
      ['a-b.test', siteRoute],
      ['a.test', suspended],
      ['b.test', siteRoute],
      ['xn--a.test', siteRoute],
    ]);
  });

  it('has wildcards and excluded hosts', async () => {
    const excluded: EdgeRoute = { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null };
    await fixture.publish({
      '*.wild.test': siteRoute,
      '*.b.test': suspended,
      'a.wild.test': siteRoute,
      'b.wild.test': excluded,
      '*.gone.test': siteRoute,
    });
    await fixture.publish({ '*.gone.test': null });
    const { rows } = await fixture.load(await fixture.service().current());
    expect([...rows]).toEqual([
      ['*.b.test', suspended],
      ['*.wild.test', siteRoute],
      ['a.wild.test', siteRoute],
      ['b.wild.test', excluded],
    ]);
    const row = await fixture.api.db.selectFrom('edge_snapshots').select(['chunks', 'hosts']).executeTakeFirst();
    expect(row).toEqual({ chunks: 1, hosts: 4n });
  });

  it('of an empty table has no chunks', async () => {
    const { manifest } = await fixture.load(await fixture.service().current());
    expect(manifest).toMatchObject({ hosts: 0, chunks: [] });
  });

  it('has every host that was published before it began, while others change', async () => {
    const hosts = Array.from({ length: 300 }, (_, i) => `h${i}.test`);
    await fixture.publish(Object.fromEntries(hosts.map((host) => [host, siteRoute])));
    const head = await fixture.feed.head();
    const files = await fixture.repository.beginSnapshot(fixture.api.db, head);
    let pages = 0;
    const { repository } = fixture;
    const changing = {
      countChunk: repository.countChunk.bind(repository),
      page: async (...args: Parameters<typeof repository.page>) => {
        const page = await repository.page(...args);
        pages += 1;
        // Behind and before the cursor.
        await fixture.publish({ [`a${pages}.test`]: siteRoute, [`z${pages}.test`]: siteRoute });
        return page;
      },
    };
    const { signal } = new AbortController();
    const options = { db: fixture.api.db, repository: changing, storage: fixture.storage, signal, hostsPerChunk: 7 };
    await fixture.repository.finish(fixture.api.db, files.id, await buildSnapshot(files, head.thumbprint, options));
    const reference = await fixture.service().current();
    const { rows } = await fixture.load(reference);
    expect(reference.version).toBe(head.version);
    expect(pages).toBeGreaterThan(300 / 7);
    expect(hosts.filter((host) => !rows.has(host))).toEqual([]);
    const { entries } = await readFeed(fixture.api, reference.version);
    expect(entries.map(({ host }) => host)).toEqual(expect.arrayContaining(['a1.test', `z${pages}.test`]));
  });

  it('has smaller chunks where a page is too large', async () => {
    const random = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');
    const routes = Array.from({ length: 60 }, (_, i) => {
      const certificateId = random(40_000).replaceAll(/["\\]/g, 'x');
      return [`h${i}.test`, { ...siteRoute, certificateId }] as const;
    });
    await fixture.publish(Object.fromEntries(routes));
    const { manifest, rows } = await fixture.load(await fixture.service().current());
    expect(manifest.chunks.length).toBeGreaterThan(1);
    expect(rows.size).toBe(60);
  });
});

describe('the newest snapshot', () => {
  it('is built once by all replicas together', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const references = await Promise.all(
      [fixture.service(), fixture.service(), fixture.service()].map((replica) => replica.current()),
    );
    expect(new Set(references.map(({ manifestKey }) => manifestKey)).size).toBe(1);
    expect(await fixture.files()).toHaveLength(2);
  });

  it('is waited for while another replica builds it', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const builder = fixture.service();
    const current = await fixture.api.db.connection().execute(async (db) => {
      await sql`select pg_advisory_lock(7310422)`.execute(db);
      const waiting = fixture.service().current();
      await waitUntil(async () => (await fixture.repository.newest()) === undefined, { message: 'there is none' });
      await sql`select pg_advisory_unlock(7310422)`.execute(db);
      await builder.buildIfDue();
      return waiting;
    });
    expect((await fixture.load(current)).rows.size).toBe(1);
  });

  it('is replaced an hour after it was built, if anything has changed', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const { version } = await fixture.service().current();
    await fixture.age(61);
    await fixture.service().buildIfDue();
    expect((await fixture.service().current()).version).toBe(version);
    expect(await fixture.files()).toHaveLength(2);
    const changed = await fixture.publish({ 'b.test': siteRoute });
    await fixture.service().buildIfDue();
    expect((await fixture.service().current()).version).toBe(changed);
  });

  it('is not replaced at every change', async () => {
    const { version } = await fixture.service().current();
    await fixture.publish({ 'a.test': siteRoute });
    await fixture.service().buildIfDue();
    expect((await fixture.service().current()).version).toBe(version);
  });

  it('is of the current epoch', async () => {
    const before = await fixture.service().current();
    await sql`update edge_feed set epoch = gen_random_uuid()`.execute(fixture.api.db);
    const after = await fixture.service().current();
    expect(after.epoch).not.toBe(before.epoch);
    expect(after.manifestKey).not.toBe(before.manifestKey);
  });

  it('is built again where the storage was replaced and does not have it', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const { manifestKey } = await fixture.service().current();
    await fixture.storage.delete(manifestKey, AbortSignal.timeout(5_000));
    const again = await fixture.service().current();
    expect(again.manifestKey).not.toBe(manifestKey);
    expect((await fixture.load(again)).rows.size).toBe(1);
    await fixture.collect();
    expect(await fixture.files()).toHaveLength(2);
  });

  it.each(['manifest.json', '0.zst'])('is built again where the storage has another %s', async (file) => {
    await fixture.publish({ 'a.test': siteRoute });
    const replica = fixture.service();
    const { manifestKey } = await replica.current();
    await fixture.storage.write(manifestKey.replace('manifest.json', file), 'something else');
    await waitUntil(async () => (await replica.current()).manifestKey !== manifestKey, { message: 'another snapshot' });
    expect((await fixture.load(await replica.current())).rows.size).toBe(1);
  });

  it('stays where the storage does not answer', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const { manifestKey } = await fixture.service().current();
    let reads = 0;
    const failing: FileStorage = {
      ...fixture.storage,
      find: (key) => fixture.storage.find(key),
      read: () => {
        reads += 1;
        return Promise.reject(new Error('the storage is away'));
      },
    };
    const replica = fixture.service(failing);
    await replica.current();
    await waitUntil(() => reads > 0, { message: 'a check of its files' });
    expect((await replica.current()).manifestKey).toBe(manifestKey);
    expect((await fixture.service().current()).manifestKey).toBe(manifestKey);
  });

  it('is not one whose build failed; its files are deleted', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const failing: FileStorage = {
      ...fixture.storage,
      write: (key, content, signal) =>
        key.endsWith('manifest.json')
          ? Promise.reject(new Error('the disk is full'))
          : fixture.storage.write(key, content, signal),
    };
    const replica = fixture.service(failing);
    await expect(replica.current()).rejects.toThrow('the disk is full');
    expect(await fixture.repository.newest()).toBeUndefined();
    expect(await fixture.files()).toEqual(['0.zst']);
    await fixture.collect();
    expect(await fixture.files()).toEqual([]);
    // The edges that ask next do not start a build each.
    await expect(replica.current()).rejects.toThrow('the disk is full');
    expect(await fixture.api.db.selectFrom('edge_snapshots').selectAll().execute()).toEqual([]);
    expect((await fixture.load(await fixture.service().current())).rows.size).toBe(1);
  });
});

describe('the collection', () => {
  it('keeps the newest two snapshots, and any that was the newest a moment ago', async () => {
    const versions: number[] = [];
    for (const host of ['a.test', 'b.test', 'c.test', 'd.test']) {
      versions.push(await fixture.publish({ [host]: siteRoute }));
      await fixture.service().buildIfDue();
      await fixture.age(61);
    }
    // The third was complete 5 minutes ago: until then edges received the second.
    await fixture.age(5 - 122);
    await fixture.collect();
    const kept = await fixture.api.db.selectFrom('edge_snapshots').select('version').orderBy('version').execute();
    expect(kept.map(({ version }) => Number(version))).toEqual(versions.slice(-3));
    await fixture.age(16);
    await fixture.collect();
    const left = await fixture.api.db.selectFrom('edge_snapshots').select('version').orderBy('version').execute();
    expect(left.map(({ version }) => Number(version))).toEqual(versions.slice(-2));
    expect(await fixture.files()).toHaveLength(4);
    await fixture.load(await fixture.service().current());
  });

  it('deletes what a process that died has left, after a day', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const { id, epoch, version } = await fixture.repository.beginSnapshot(fixture.api.db, await fixture.feed.head());
    await fixture.repository.countChunk(fixture.api.db, id, 2);
    await fixture.storage.write(`snapshots/${epoch}/${version}/${id}/0.zst`, 'x');
    await fixture.collect();
    expect(await fixture.files()).toEqual(['0.zst']);
    await fixture.age(25 * 60);
    await fixture.collect();
    expect(await fixture.files()).toEqual([]);
    expect(await fixture.api.db.selectFrom('edge_snapshots').selectAll().execute()).toEqual([]);
    await expect(fixture.repository.countChunk(fixture.api.db, id, 3)).rejects.toThrow('deleted during its build');
  });

  it('deletes the snapshots of an epoch that has ended', async () => {
    await fixture.service().current();
    await sql`update edge_feed set epoch = gen_random_uuid()`.execute(fixture.api.db);
    await fixture.age(16);
    await fixture.collect();
    expect(await fixture.files()).toEqual([]);
  });
});
