import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { CollectionFixture, type Publisher } from './collection-fixture.js';

let fixture: CollectionFixture;

beforeAll(async () => {
  fixture = await CollectionFixture.start();
});
afterAll(() => fixture.close());

describe('a bundle', () => {
  it('is not idle while a deployment that was collected meanwhile names it', async () => {
    const publisher = await fixture.publisher();
    const files = { 'index.html': randomUUID() };
    const [first, second] = [await upload(publisher, files), await upload(publisher, files)];
    await upload(publisher, { 'index.html': randomUUID() });
    const { bundles } = fixture.parts(0);
    await remove(publisher, first);
    const { held, release } = await lockDeployment(first);
    const releasing = bundles.releaseCollected(100);
    await waitUntil(hasWaiter, { message: 'the collection waits for the locked deployment' });
    await remove(publisher, second);
    release();
    await held;
    await releasing;
    expect(await bundlesOf(publisher)).toEqual([{ attached: 1, isIdle: false }, kept]);
    await bundles.releaseCollected(100);
    expect(await bundlesOf(publisher)).toEqual([{ attached: 0, isIdle: true }, kept]);
    await fixture.collect(26);
    expect(await bundlesOf(publisher)).toEqual([kept]);
  });
});

const kept = { attached: 1, isIdle: false };

async function upload(publisher: Publisher, files: Readonly<Record<string, string>>): Promise<string> {
  const { status, body } = await fixture.upload(publisher, files);
  expect(status).toBe(201);
  return body.id;
}

async function remove({ key, path }: Publisher, id: string): Promise<void> {
  expect((await fixture.api.request('DELETE', `${path}/${id}`, { key })).status).toBe(204);
}

/** Holds the row of a deployment until it is released. */
async function lockDeployment(id: string): Promise<{ held: Promise<void>; release: () => void }> {
  const end = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const held = fixture.api.db.transaction().execute(async (tx) => {
    await sql`select from deployments where id = ${id} for update`.execute(tx);
    locked.resolve();
    await end.promise;
  });
  await locked.promise;
  return { held, release: end.resolve };
}

async function hasWaiter(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%update deployments%'`.execute(
    fixture.api.db,
  );
  return rows.length > 0;
}

/** The bundles of an organization, oldest first, with the number of deployments that name them. */
async function bundlesOf({ organizationId }: Publisher): Promise<{ attached: number; isIdle: boolean }[]> {
  const { rows } = await sql<{ attached: number; isIdle: boolean }>`
    select (select count(*)::integer from deployments d where d.bundle_id = b.id) as attached,
      b.idle_since is not null as "isIdle"
    from bundles b where b.organization_id = ${organizationId} order by b.id`.execute(fixture.api.db);
  return rows;
}
