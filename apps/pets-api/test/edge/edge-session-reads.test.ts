import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_BATCH_ENTRIES, type EdgeRoute, type EdgeSnapshotReference, type Project } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';
import { openSession, type SessionClient, type SessionMessage, type SessionOptions } from '../access/session-client.js';

let api: TestApi;
let feed: EdgeFeedRepository;
let projectId: string;
let count = 0;
const clients: SessionClient[] = [];

const served: EdgeRoute = {
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId: 'platform',
};

beforeAll(async () => {
  api = await startTestApi();
  feed = new EdgeFeedRepository(api.db);
  const { key } = await api.createOrganization('pro');
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'p' } })).body.id;
});
afterEach(() => clients.splice(0).forEach((client) => client.close()));
afterAll(() => api.close());

const publishAll = (hosts: readonly string[], route: EdgeRoute | null) =>
  api.db
    .transaction()
    .execute((tx) => feed.publish(tx, new Map(hosts.map((host) => [host, { projectId, route, traceParent: null }]))));

const hostsOf = (size: number) => {
  const round = ++count;
  return Array.from({ length: size }, (_, index) => `h${index}.r${round}.test`);
};

async function open(
  options: Partial<SessionOptions> = {},
  { url }: Pick<ApiReplica, 'url'> = api,
): Promise<SessionClient> {
  const { epoch, version } = await feed.head();
  const client = await openSession(url, { edgeId: `edge-reader-${++count}`, epoch, after: version, ...options });
  clients.push(client);
  client.ack(options.after ?? version);
  return client;
}

const isComplete = ({ after, version, entries }: SessionMessage<'batch'>) => version > after || entries.length === 0;

/** The batches up to a version, as an edge applies them. */
async function received(client: SessionClient, version: number): Promise<SessionMessage<'batch'>[]> {
  await waitUntil(() => client.of('batch').some((batch) => isComplete(batch) && batch.version >= version), {
    timeoutMs: 15_000,
    message: `version ${version}`,
  });
  return client.of('batch');
}

/** Checks that no step is missing. @returns the hosts with their newest version */
function applied(batches: readonly SessionMessage<'batch'>[], from: number): Map<string, number> {
  let at = from;
  const hosts = new Map<string, number>();
  for (const batch of batches) {
    expect(batch.after).toBe(at);
    expect(batch.entries.length).toBeLessThanOrEqual(MAX_BATCH_ENTRIES);
    for (const { host, version } of batch.entries) hosts.set(host, version);
    at = batch.version;
  }
  return hosts;
}

describe('a version with many hosts', () => {
  it('comes in parts, of which only the last has the new version', async () => {
    const client = await open();
    const before = (await client.next('batch')).version;
    const hosts = hostsOf(2_500);
    const version = await publishAll(hosts, served);
    const batches = await received(client, version);
    expect(batches.slice(1).map((batch) => [batch.version, batch.entries.length])).toEqual([
      [before, 1_000],
      [before, 1_000],
      [version, 500],
    ]);
    expect(applied(batches, before)).toEqual(new Map(hosts.map((host) => [host, version])));
  });

  it('is complete for a session that the hub leaves to its own speed', async () => {
    const client = await open();
    const before = (await client.next('batch')).version;
    const hosts = hostsOf(12_000);
    const version = await publishAll(hosts, served);
    const batches = await received(client, version);
    expect(applied(batches, before).size).toBe(hosts.length);
  });
});

describe('a session that opens behind', () => {
  it('gets what the hub has kept', async () => {
    const [first = '', second = '', third = ''] = hostsOf(3);
    const at = await publishAll([first], served);
    await publishAll([second], served);
    const version = await publishAll([third], null);
    const witness = await open();
    await received(witness, version);
    const client = await open({ after: at });
    const hosts = applied(await received(client, version), at);
    expect([hosts.get(second), hosts.get(third)]).toEqual([at + 1, version]);
  });

  it('reads older changes from the database, and receives the following ones', async () => {
    const at = await publishAll(hostsOf(1), served);
    const hosts = hostsOf(3_000);
    const old = await publishAll(hosts, served);
    const fresh = await api.startReplica();
    const client = await open({ after: at }, fresh);
    expect(applied(await received(client, old), at)).toEqual(new Map(hosts.map((host) => [host, old])));
    const [next = ''] = hostsOf(1);
    const version = await publishAll([next], served);
    expect(applied(await received(client, version), at).get(next)).toBe(version);
    await fresh.stopApi();
  });

  it('misses no host that changes while it reads', async () => {
    const at = await publishAll(hostsOf(1), served);
    const hosts = hostsOf(4_000);
    await publishAll(hosts, served);
    const fresh = await api.startReplica();
    const client = await open({ after: at }, fresh);
    const moved = hosts.filter((_, index) => index % 400 === 0);
    let version = 0;
    for (const host of moved) version = await publishAll([host], null);
    const newest = applied(await received(client, version), at);
    expect(newest.size).toBe(hosts.length);
    for (const [index, host] of moved.entries()) expect(newest.get(host)).toBe(version - moved.length + 1 + index);
    await fresh.stopApi();
  });
});

describe('a session that cannot continue', () => {
  const snapshotOf = async (options: Partial<SessionOptions>, of?: ApiReplica): Promise<EdgeSnapshotReference> => {
    const client = await open(options, of);
    const snapshot = await client.next('snapshot');
    await client.closed();
    expect(client.of('batch')).toEqual([]);
    return snapshot;
  };

  it.each([
    ['of another epoch', { epoch: '00000000-0000-4000-8000-000000000000' }],
    ['without a table', { epoch: undefined, after: 0 }],
    ['ahead of the database', { after: 999_999_999 }],
  ])('%s, gets a snapshot and is closed', async (_name, options) => {
    const { epoch } = await feed.head();
    expect(await snapshotOf(options)).toMatchObject({ epoch, manifestKey: expect.stringContaining(epoch) });
  });

  it('because removed hosts were deleted after its version, gets a snapshot', async () => {
    const at = await publishAll(hostsOf(1), served);
    const version = await publishAll(hostsOf(1), served);
    await sql`update edge_feed set compacted_version = ${version}`.execute(api.db);
    expect((await snapshotOf({ after: at })).version).toBeGreaterThan(0);
    await sql`update edge_feed set compacted_version = 0`.execute(api.db);
  });

  it('because more changes follow than a snapshot is worth, gets a newer snapshot, or else the changes', async () => {
    const at = await publishAll(hostsOf(1), served);
    const version = at + 1;
    await sql`
      with published as (update edge_feed set version = ${version})
      insert into edge_routes (host, project_id, version)
      select 'far' || n || '.test', ${projectId}, ${version} from generate_series(1, 50100) n`.execute(api.db);
    const fresh = await api.startReplica();
    const client = await open({ after: at }, fresh);
    expect(applied(await received(client, version), at).size).toBe(50_100);
    await sql`delete from edge_snapshots`.execute(api.db);
    expect((await snapshotOf({ after: at }, fresh)).version).toBe(version);
    await fresh.stopApi();
  });

  it('because a new epoch begins, is sent at once', async () => {
    const client = await open();
    await client.next('batch');
    const epoch = await feed.rotateEpoch();
    expect(await client.next('snapshot')).toMatchObject({ epoch });
    await client.closed();
  });
});
