import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeRoute, Project } from '@pets/contracts';
import { NotificationListener } from '@pets/persistence';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';
import { openSession, type SessionClient } from '../access/session-client.js';

let api: TestApi;
let feed: EdgeFeedRepository;
let projectId: string;
let count = 0;
const clients: SessionClient[] = [];

const served: EdgeRoute = {
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'a'.repeat(64) },
  certificateId: 'platform',
};
/** A few of these fill the buffers of a connection. */
const large: EdgeRoute = { ...served, serve: { kind: 'site', contentHash: 'a'.repeat(20_000) } };

beforeAll(async () => {
  api = await startTestApi();
  feed = new EdgeFeedRepository(api.db);
  const { key } = await api.createOrganization('pro');
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'p' } })).body.id;
});
afterEach(async () => {
  clients.splice(0).forEach((client) => client.close());
  await api.db.deleteFrom('edges').execute();
});
afterAll(() => api.close());

const publishAll = (hosts: readonly string[], route = served) =>
  api.db
    .transaction()
    .execute((tx) => feed.publish(tx, new Map(hosts.map((host) => [host, { projectId, route, traceParent: null }]))));

async function joined(
  edgeId = `edge-contact-${++count}`,
  { url }: Pick<ApiReplica, 'url'> = api,
): Promise<SessionClient> {
  const { epoch, version } = await feed.head();
  const client = await openSession(url, { edgeId, epoch, after: version });
  clients.push(client);
  client.ack(version);
  await client.next('batch');
  return client;
}

const rowOf = (edgeId: string) =>
  api.db.selectFrom('edges').selectAll().where('id', '=', edgeId).executeTakeFirstOrThrow();

/** Holds the row of an edge, so that its report waits. */
async function holdRow(edgeId: string): Promise<{ release: () => Promise<void>; breakWaiting: () => Promise<void> }> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = api.db.transaction().execute(async (tx) => {
    await sql`select from edges where id = ${edgeId} for update`.execute(tx);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const waiting = sql`datname = current_database() and wait_event_type = 'Lock' and query like '%registered as%'`;
  return {
    release: async () => {
      released.resolve();
      await done;
    },
    // What a killed replica leaves of its statement.
    breakWaiting: async () => {
      await waitUntil(
        async () => {
          const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity where ${waiting}`.execute(
            api.db,
          );
          return rows.length > 0;
        },
        { message: 'a report that waits' },
      );
    },
  };
}

describe('a contact', () => {
  it('is confirmed when it is committed, and not before', async () => {
    const client = await joined();
    const { release } = await holdRow(client.edgeId);
    const version = await publishAll(['commit.test']);
    await client.next('batch', 2);
    const { sentAtMs } = client.ack(version);
    await waitUntil(
      async () =>
        (
          await sql`select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(api.db)
        ).rows.length > 0,
      { message: 'a report that waits' },
    );
    expect(client.of('contact')).toHaveLength(1);
    await release();
    expect(await client.next('contact', 2)).toEqual({ kind: 'contact', contactAtMs: sentAtMs });
    expect(await feed.countPending(version, 60)).toBe(0);
  });

  it('whose write is lost with its replica leaves the edge with the contact that the database has', async () => {
    const replica = await api.startReplica();
    const client = await joined(undefined, replica);
    const before = await rowOf(client.edgeId);
    const version = await publishAll(['killed.test']);
    await client.next('batch', 2);
    const row = await holdRow(client.edgeId);
    client.ack(version);
    await row.breakWaiting();
    client.close();
    await replica.stopApi();
    await row.release();
    const after = await rowOf(client.edgeId);
    expect(after).toEqual(before);
    const lease = client.of('contact').at(-1)?.contactAtMs ?? Infinity;
    expect(lease).toBeLessThanOrEqual(after.last_contact_at.getTime());
    expect(await feed.countPending(version, 60)).toBe(1);
  });

  it('is written again after a failure', async () => {
    const client = await joined();
    const row = await holdRow(client.edgeId);
    const version = await publishAll(['again.test']);
    const { sentAtMs } = client.ack(version);
    await row.breakWaiting();
    await row.release();
    expect(await client.next('contact', 2)).toEqual({ kind: 'contact', contactAtMs: sentAtMs });
  });

  it('that says nothing new is not written at once', async () => {
    const client = await joined();
    const { last_contact_at: registeredAt } = await rowOf(client.edgeId);
    const { version } = await feed.head();
    for (let heartbeat = 0; heartbeat < 20; heartbeat++) client.ack(version);
    const next = await publishAll(['later.test']);
    client.ack(next);
    await client.next('contact', 2);
    expect(client.of('contact')).toHaveLength(2);
    expect((await rowOf(client.edgeId)).last_contact_at.getTime()).toBeGreaterThan(registeredAt.getTime());
  });
});

describe('the acknowledgements of many edges', () => {
  it('take a few transactions', async () => {
    const many = await Promise.all(Array.from({ length: 60 }, () => joined()));
    const version = await publishAll(['many.test']);
    await Promise.all(many.map((client) => client.next('batch', 2)));
    many.forEach((client) => client.ack(version));
    await Promise.all(many.map((client) => client.next('contact', 2)));
    const { rows } = await sql<{ count: bigint }>`
      select count(distinct xmin::text) from edges where acked_version = ${version}`.execute(api.db);
    expect(Number(rows[0]?.count)).toBeLessThanOrEqual(4);
    expect(await feed.countPending(version, 60)).toBe(0);
  });

  it('wake only those who wait, on every replica', async () => {
    const replica = await api.startReplica();
    const client = await joined(undefined, replica);
    const listener = new NotificationListener(api.databaseUrl, () => undefined);
    let notifications = 0;
    await listener.open();
    listener.on('edge_acks', () => notifications++);
    const unawaited = await publishAll(['unawaited.test']);
    client.ack(unawaited);
    await client.next('contact', 2);
    const awaited = await publishAll(['awaited.test']);
    await sql`select pg_notify('edge_ack_waits', ${String(awaited)})`.execute(api.db);
    await client.next('batch', 3);
    client.ack(awaited);
    await client.next('contact', 3);
    await waitUntil(() => notifications > 0, { message: 'the notification' });
    expect(notifications).toBe(1);
    await listener.close();
    await replica.stopApi();
  });
});

describe('a session', () => {
  it('is ended by a later one of the same edge', async () => {
    const first = await joined('edge-twice');
    const second = await joined('edge-twice');
    expect(await first.closed()).toBe(4000);
    expect(second.closeCode()).toBeUndefined();
  });

  it('cannot overwrite the report of a later one at another replica', async () => {
    const replica = await api.startReplica();
    const first = await joined('edge-moved');
    const second = await joined('edge-moved', replica);
    const { acked_version: acked } = await rowOf('edge-moved');
    first.ack(Number(acked) + 100);
    expect(await first.closed()).toBe(4000);
    expect((await rowOf('edge-moved')).acked_version).toBe(acked);
    expect(second.closeCode()).toBeUndefined();
    await replica.stopApi();
  });

  it('does not bring back an edge that has deregistered', async () => {
    const client = await joined();
    await feed.forget(client.edgeId);
    client.ack((await feed.head()).version + 1);
    expect(await client.closed()).toBe(4000);
    expect((await feed.list()).map(({ id }) => id)).not.toContain(client.edgeId);
  });

  it.each([
    ['a message of 5 KB', 'x'.repeat(5_000), 1009],
    ['a message that is no acknowledgement', '{"kind":"batch"}', 1008],
    ['a message that is no JSON', '{', 1008],
    ['a message of bytes', Buffer.from('{}'), 1008],
  ])('is ended by %s', async (_name, message, code) => {
    const client = await joined();
    client.socket.send(message);
    expect(await client.closed()).toBe(code);
  });

  it('is ended by another edge id, and by a flood', async () => {
    const [renamed, flooding] = [await joined(), await joined()];
    renamed.ack(0, { edgeId: 'edge-another' });
    for (let message = 0; message < 1_000; message++) flooding.ack(0);
    expect([await renamed.closed(), await flooding.closed()]).toEqual([1008, 1008]);
  });

  it('whose edge does not read is ended, and delays no other', async () => {
    const [slow, quick] = [await joined(), await joined()];
    slow.socket.pause();
    let version = 0;
    for (let round = 0; round < 30; round++) {
      const hosts = Array.from({ length: 50 }, (_, index) => `h${index}.slow.test`);
      version = await publishAll(hosts, large);
      await waitUntil(() => (quick.of('batch').at(-1)?.version ?? 0) >= version, { message: `version ${version}` });
    }
    slow.socket.resume();
    expect(await slow.closed()).toBe(1006);
    expect(slow.of('batch').at(-1)?.version).toBeLessThan(version);
    expect(quick.closeCode()).toBeUndefined();
  });

  it('ends with its replica, in order', async () => {
    const replica = await api.startReplica();
    const client = await joined(undefined, replica);
    const began = performance.now();
    await replica.stopApi();
    expect(await client.closed()).toBe(1001);
    expect(performance.now() - began).toBeLessThan(6_000);
  });
});
