import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Deployment } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import { contentKey, indexKey } from '@pets/sites';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { CollectionFixture } from './collection-fixture.js';

let fixture: CollectionFixture;

beforeAll(async () => {
  fixture = await CollectionFixture.start();
});
afterAll(() => fixture.close());

const keyOf = (content: string) => contentKey(createHash('sha256').update(content).digest('hex'));
const has = async (content: string) => (await fixture.storage.find(keyOf(content))) !== undefined;
const fresh = () => randomUUID();

describe('of a project', () => {
  it('the last ones are kept, and the one that is served, however old it is', async () => {
    const publisher = await fixture.publisher('pro', { keptDeployments: 3 });
    const uploaded: Deployment[] = [];
    for (let nth = 0; nth < 3; nth++) uploaded.push((await fixture.upload(publisher, { a: fresh() })).body);
    const [first, second] = uploaded as [Deployment, Deployment, Deployment];
    expect((await fixture.activate(publisher, first)).status).toBe(200);
    for (let nth = 0; nth < 2; nth++) uploaded.push((await fixture.upload(publisher, { a: fresh() })).body);
    const states = new Map((await fixture.list(publisher)).map(({ id, state }) => [id, state]));
    // The first one was served again after the third was uploaded.
    expect(uploaded.map(({ id }) => states.get(id))).toEqual(['ready', 'collected', 'collected', 'ready', 'ready']);
    const refused = await fixture.activate(publisher, second);
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('deployment_collected');
    expect((await fixture.activate(publisher, first)).status).toBe(200);
  });

  it('one that is deleted cannot be served again; the one that is served cannot be deleted', async () => {
    const publisher = await fixture.publisher();
    const other = await fixture.publisher();
    const [first, second] = [
      (await fixture.upload(publisher, { a: fresh() })).body,
      (await fixture.upload(publisher, { a: fresh() })).body,
    ];
    const remove = ({ id }: Deployment, { key }: { key: string } = publisher) =>
      fixture.api.request<ApiError>('DELETE', `${publisher.path}/${id}`, { key });
    expect((await remove(first, other)).status).toBe(404);
    const served = await remove(second);
    expect(served.status).toBe(409);
    expect(served.body.code).toBe('conflict');
    for (let nth = 0; nth < 2; nth++) expect((await remove(first)).status).toBe(204);
    expect((await fixture.activate(publisher, first)).body.code).toBe('deployment_collected');
    expect((await fixture.list(publisher)).map(({ state, active }) => [state, active])).toEqual([
      ['ready', true],
      ['collected', false],
    ]);
  });
});

describe('files', () => {
  it('that no kept deployment has are deleted after a day, with the index, and others are not', async () => {
    const publisher = await fixture.publisher('pro', { keptDeployments: 1 });
    const [shared, old, used] = [fresh(), fresh(), fresh()];
    const first = (await fixture.upload(publisher, { 'index.html': shared, 'old.html': old })).body;
    await fixture.upload(publisher, { 'index.html': shared, 'new.html': used });
    await fixture.collect(23);
    expect(await has(old)).toBe(true);
    await fixture.collect(26);
    expect([await has(old), await has(shared), await has(used)]).toEqual([false, true, true]);
    expect(await fixture.storage.find(indexKey(first.contentHash))).toBeUndefined();
    expect((await fixture.list(publisher)).map(({ state }) => state)).toEqual(['ready', 'collected']);
    // After months its row goes, too.
    await fixture.collect(24 * 100);
    expect(await fixture.list(publisher)).toHaveLength(1);
    expect(await has(used)).toBe(true);
  });

  it('that another organization has stay', async () => {
    const [one, two] = [await fixture.publisher('pro', { keptDeployments: 1 }), await fixture.publisher()];
    const content = fresh();
    await fixture.upload(one, { a: content });
    await fixture.upload(two, { a: content });
    await fixture.upload(one, { a: fresh() });
    await fixture.collect(26);
    expect(await has(content)).toBe(true);
    const left = await fixture.api.db
      .selectFrom('organization_storage')
      .select('bytes')
      .where('organization_id', '=', two.organizationId)
      .executeTakeFirstOrThrow();
    expect(Number(left.bytes)).toBeGreaterThan(content.length);
  });

  it('of an upload that became no deployment are deleted', async () => {
    const publisher = await fixture.publisher();
    const headers = { 'idempotency-key': 'once' };
    await fixture.upload(publisher, { a: fresh() }, headers);
    const content = fresh();
    expect((await fixture.upload<ApiError>(publisher, { a: content }, headers)).body.code).toBe(
      'idempotency_key_reused',
    );
    expect(await has(content)).toBe(true);
    await fixture.collect(26);
    expect(await has(content)).toBe(false);
  });

  it('that are uploaded again within the day stay for another one', async () => {
    const publisher = await fixture.publisher('pro', { keptDeployments: 1 });
    const content = fresh();
    await fixture.upload(publisher, { a: content });
    await fixture.upload(publisher, { a: fresh() });
    await fixture.collect(0);
    await sql`update bundles set idle_since = now() - interval '23 hours' where idle_since is not null`.execute(
      fixture.api.db,
    );
    const { path } = await fixture.addProject(publisher.key);
    expect((await fixture.upload({ key: publisher.key, path }, { a: content })).status).toBe(201);
    await fixture.collect(26);
    expect(await has(content)).toBe(true);
  });
});

describe('an upload of files that are being deleted', () => {
  /** A storage whose deletions wait. */
  function holding(): { storage: FileStorage; begun: () => number; release: () => void } {
    let begun = 0;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const storage: FileStorage = {
      ...fixture.storage,
      delete: async (key, signal) => {
        begun += 1;
        await released;
        await fixture.storage.delete(key, signal);
      },
    };
    return { storage, begun: () => begun, release: () => release() };
  }

  async function idleContent(): Promise<string> {
    const publisher = await fixture.publisher('pro', { keptDeployments: 1 });
    const content = fresh();
    await fixture.upload(publisher, { a: content });
    await fixture.upload(publisher, { a: fresh() });
    return content;
  }

  it('waits until they are, and writes them again', async () => {
    const content = await idleContent();
    const { storage, begun, release } = holding();
    const collecting = fixture.collect(26, storage);
    await waitUntil(() => begun() > 0, { message: 'the deletion to begin' });
    const publisher = await fixture.publisher();
    const uploading = fixture.upload(publisher, { a: content, b: fresh() });
    await waitUntil(async () => (await fixture.api.db.selectFrom('uploads').select('id').execute()).length > 0, {
      message: 'the upload to begin',
    });
    release();
    await collecting;
    expect((await uploading).status).toBe(201);
    expect(await has(content)).toBe(true);
    await fixture.collect(50);
    expect(await has(content)).toBe(true);
  });

  it('takes over where the process that marked them has died', async () => {
    const content = await idleContent();
    const died: FileStorage = { ...fixture.storage, delete: () => Promise.reject(new Error('died')) };
    await expect(fixture.collect(26, died)).rejects.toThrow('died');
    await sql`update stored_objects set deleting_at = deleting_at - interval '3 minutes'
      where deleting_at is not null`.execute(fixture.api.db);
    const marked = await sql<{ id: bigint; at: Date }>`select id, deleting_at as at from stored_objects
      where key = ${keyOf(content)}`.execute(fixture.api.db);
    expect((await fixture.upload(await fixture.publisher(), { a: content })).status).toBe(201);
    // The process was not dead after all, and would forget what it has deleted.
    const [{ id, at }] = marked.rows as [{ id: bigint; at: Date }];
    await fixture.parts(26).objects.forget([id], at);
    await fixture.collect(26);
    expect(await has(content)).toBe(true);
    const row = await sql`select from stored_objects where key = ${keyOf(content)}`.execute(fixture.api.db);
    expect(row.rows).toHaveLength(1);
  });

  it('never loses one, however uploads and deletions meet', async () => {
    const publishers = await Promise.all(
      Array.from({ length: 4 }, () => fixture.publisher('enterprise', { keptDeployments: 1 })),
    );
    const pool = Array.from({ length: 6 }, fresh);
    let isOver = false;
    // Without the day of grace, so that everything meets everything.
    const sweeping = Promise.all(
      [1, 2].map(async () => {
        const { collection } = fixture.parts(26);
        while (!isOver) await collection.collect(20);
      }),
    );
    const statuses = await Promise.all(
      publishers.map(async (publisher, nth) => {
        const seen: number[] = [];
        for (let round = 0; round < 15; round++) {
          const files = Object.fromEntries([0, 1, 2].map((at) => [`${at}`, pool[(round * (nth + 1) + at) % 6] ?? '']));
          seen.push((await fixture.upload(publisher, files)).status);
        }
        return seen;
      }),
    );
    isOver = true;
    await sweeping;
    expect(statuses.flat().filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(statuses.flat().filter((status) => status === 201).length).toBeGreaterThan(0);
    await fixture.collect(26);
    const needed = await sql<{ key: string }>`
      select distinct o.key from deployments d join bundles b on b.id = d.bundle_id
      cross join unnest(b.object_ids) as object (id) join stored_objects o on o.id = object.id
      where d.state = 'ready'`.execute(fixture.api.db);
    const stored = new Set(await fixture.stored());
    expect(needed.rows.map(({ key }) => key).filter((key) => !stored.has(key))).toEqual([]);
    const sums = await sql<{ wrong: bigint }>`
      select count(*) as wrong from organization_storage s where bytes <> (
        select coalesce(sum(o.bytes), 0) from organization_objects h join stored_objects o on o.id = h.object_id
        where h.organization_id = s.organization_id
      )`.execute(fixture.api.db);
    expect(sums.rows).toEqual([{ wrong: 0n }]);
  });
});

describe('the bytes that an organization may store', () => {
  const mebibyte = () => fresh().repeat(30_000).slice(0, 1_000_000);

  it('are counted once for each file, and again when they were deleted', async () => {
    const publisher = await fixture.publisher('free', { storageBytes: 2_500_000, keptDeployments: 2 });
    const [first, second, third] = [mebibyte(), mebibyte(), mebibyte()];
    const one = (await fixture.upload(publisher, { first })).body;
    expect((await fixture.upload(publisher, { first, second })).status).toBe(201);
    expect((await fixture.upload(publisher, { first, second, again: second })).status).toBe(201);
    const refused = await fixture.upload<ApiError>(publisher, { third });
    expect(refused).toMatchObject({ status: 403, body: { code: 'storage_limit_reached' } });
    expect(await has(third)).toBe(false);
    expect((await fixture.list(publisher)).find(({ id }) => id === one.id)?.state).toBe('collected');
    const replaced = await fixture.upload(publisher, { small: fresh() });
    expect(replaced.status).toBe(201);
    await fixture.upload(publisher, { small: fresh() });
    // The files of deployments that were collected count until they are deleted.
    expect((await fixture.upload(publisher, { third })).status).toBe(403);
    await fixture.collect(26);
    expect((await fixture.upload(publisher, { third })).status).toBe(201);
  });

  it('hold for uploads at the same time, and for those that become no deployment', async () => {
    const publisher = await fixture.publisher('free', { storageBytes: 2_500_000, concurrentUploads: 10 });
    const together = await Promise.all(Array.from({ length: 5 }, () => fixture.upload(publisher, { a: mebibyte() })));
    expect(together.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    const other = await fixture.publisher('free', { storageBytes: 2_500_000 });
    const headers = { 'idempotency-key': 'once' };
    const statuses: number[] = [];
    for (let nth = 0; nth < 4; nth++)
      statuses.push((await fixture.upload<ApiError>(other, { a: mebibyte() }, headers)).status);
    expect(statuses).toEqual([201, 422, 403, 403]);
  });
});
