import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EdgeRoute, Project } from '@pets/contracts';
import { openDatabase } from '@pets/persistence';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { ClusterIdentity } from '../../src/edge/sessions/feed-pages.repository.js';
import { acknowledge } from './feed-steps.js';
import { startTestApi, type TestApi } from '../harness.js';
import { openSession, type SessionClient } from '../access/session-client.js';
import { startMigratedServer } from '../migrated-postgres.js';

let api: TestApi;
let postgres: Awaited<ReturnType<typeof startMigratedServer>>;
let feed: EdgeFeedRepository;
let projectId: string;
const clients: SessionClient[] = [];

const served: EdgeRoute = {
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId: 'platform',
};

beforeEach(async () => {
  postgres = await startMigratedServer();
  api = await startTestApi({}, undefined, undefined, postgres);
  feed = new EdgeFeedRepository(api.db);
  const { key } = await api.createOrganization('pro');
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'p' } })).body.id;
});
afterEach(async () => {
  clients.splice(0).forEach((client) => client.close());
  await api.close();
});

const publish = (host: string, route: EdgeRoute | null) =>
  api.db.transaction().execute((tx) => feed.publish(tx, new Map([[host, { projectId, route, traceParent: null }]])));

const clusterOf = async () =>
  (await api.db.selectFrom('edge_feed').select('cluster').executeTakeFirstOrThrow()).cluster;

/** An edge that has applied everything. */
async function joined(edgeId: string): Promise<SessionClient> {
  const { epoch, version } = await feed.head();
  const client = await openSession(api.url, { edgeId, epoch, after: version });
  clients.push(client);
  client.ack(version);
  await client.next('batch');
  return client;
}

describe('after a failover to a standby that lacks the last versions', () => {
  it('a version that is used twice counts as applied by no edge, and every edge needs a snapshot', async () => {
    await publish('kept.test', served);
    await waitUntil(async () => (await clusterOf()) !== null, { message: 'the cluster of the epoch' });
    await postgres.keepStandby();
    const before = await waitUntil(() => feed.head(), { message: 'the database' });
    const client = await joined('edge-failover');
    const lost = await publish('lost.test', served);
    client.ack(lost);
    await waitUntil(async () => (await feed.countPending(lost, 60)) === 0, { message: 'the acknowledgement' });

    await postgres.failOver();
    const reused = await waitUntil(() => publish('kept.test', null), { message: 'the new primary' });
    expect(reused).toBe(lost);
    client.ack(lost);
    expect(await client.closed()).toBeGreaterThan(1_000);
    await waitUntil(async () => (await feed.head()).epoch !== before.epoch, { message: 'a new epoch' });

    // The edge comes back with what it has applied before the failover.
    const returned = await openSession(api.url, { edgeId: 'edge-failover', epoch: before.epoch, after: lost });
    clients.push(returned);
    returned.ack(lost);
    await returned.next('contact');
    expect(await feed.countPending(reused, 60)).toBe(1);
    expect(returned.of('batch')).toEqual([]);
  });

  it('an acknowledgement counts for nothing even before the new epoch', async () => {
    await publish('kept.test', served);
    await waitUntil(async () => (await clusterOf()) !== null, { message: 'the cluster of the epoch' });
    const { epoch, version } = await feed.head();
    await sql`update edge_feed set cluster = 'another'`.execute(api.db);
    await acknowledge(api, api.url, 'edge-early', { epoch, version });
    expect(await feed.countPending(version, 60)).toBe(1);
  });
});

describe('the cluster of the database', () => {
  it('is readable for a role without privileges', async () => {
    await sql`create role plain login password 'plain'`.execute(api.db);
    const url = new URL(api.databaseUrl);
    Object.assign(url, { username: 'plain', password: 'plain' });
    const db = openDatabase({ url: url.href, poolSize: 1, onConnectionError: () => undefined });
    const identity = await new ClusterIdentity(db, createLogger('test', 'silent')).expression();
    const { rows } = await sql<{ cluster: string }>`select ${identity} as cluster`.execute(db);
    expect(rows[0]?.cluster).toMatch(/^\d+\/[0-9A-F]{8}$/);
    await db.destroy();
  });

  it('is unknown where PostgreSQL refuses the function, which is logged once', async () => {
    await sql`create role barred login password 'barred'`.execute(api.db);
    await sql`revoke execute on function pg_control_system() from public`.execute(api.db);
    const url = new URL(api.databaseUrl);
    Object.assign(url, { username: 'barred', password: 'barred' });
    const db = openDatabase({ url: url.href, poolSize: 1, onConnectionError: () => undefined });
    const warnings: string[] = [];
    const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
    const cluster = new ClusterIdentity(db, log as never);
    const { rows } = await sql<{ cluster: string | null }>`select ${await cluster.expression()} as cluster`.execute(db);
    await cluster.expression();
    expect(rows).toEqual([{ cluster: null }]);
    expect(warnings).toEqual(['failovers are not detected; run `admin feed rotate-epoch` after each']);
    await db.destroy();
  });
});
