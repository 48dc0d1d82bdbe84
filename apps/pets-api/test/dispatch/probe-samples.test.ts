import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DomainEvents, DomainJobs } from '@pets/contracts';
import { NotificationListener } from '@pets/persistence';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { AwaitedVersions, EdgeAcks } from '../../src/edge/edge-acks.js';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { EdgeProbesRepository } from '../../src/edge/edge-probes.repository.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { attemptOf } from '../scripted-worker.js';

let fixture: DomainFixture;
let feed: EdgeFeedRepository;
let probes: EdgeProbesRepository;

const AHEAD = 1_000_000;
const REGIONS = ['eu', 'eu', 'us', 'us', 'ap', null];

beforeAll(async () => {
  fixture = await startDomainFixture();
  feed = new EdgeFeedRepository(fixture.api.db);
  probes = new EdgeProbesRepository(fixture.api.db, createLogger('pets-api-test', 'silent'));
});
beforeEach(async () => {
  await sql`delete from edges`.execute(fixture.api.db);
  for (const [index, region] of REGIONS.entries()) await insertEdge(`e${index}`, { region });
});
afterAll(() => fixture.close());

/** An edge that stays reachable for the whole test. */
async function insertEdge(id: string, { region = null as string | null, version = AHEAD, failures = 0 }) {
  await sql`
    insert into edges (id, epoch, acked_version, http_address, https_address, last_contact_at, session_id, region, probe_failures)
    select ${id}, epoch, ${version}, 'a:1', ${`${id}:443`}, now() + interval '1 hour', gen_random_uuid(),
      ${region}, ${failures}
    from edge_feed`.execute(fixture.api.db);
}

const regionOf = ({ edgeId }: { edgeId: string }) => REGIONS[Number(edgeId.slice(1))];
const failuresOf = async (id: string) => (await feed.list()).find((edge) => edge.id === id)?.probeFailures;

/** The probe of a new certificate. */
async function nextProbe(): Promise<DomainJobs['probe-edge']> {
  const { id, name, issue } = await fixture.verified();
  await fixture.sign(issue, name);
  const job = await fixture.worker.nextJob('probe-edge', id);
  await fixture.api.messaging.events.emit('certificate.served', { ...attemptOf(job), leafSha256: job.leafSha256 });
  await fixture.untilState(id, 'live');
  return job;
}

describe('a probe', () => {
  it('asks three edges in different regions, with as many spares', async () => {
    const { edges, spares, rechecks, suspects } = await nextProbe();
    expect(new Set(edges.map(regionOf)).size).toBe(3);
    expect(new Set([...edges, ...(spares ?? [])].map(({ edgeId }) => edgeId)).size).toBe(6);
    expect(edges[0]?.address).toBe(`${edges[0]?.edgeId}:443`);
    expect({ rechecks, suspects }).toEqual({ rechecks: [], suspects: [] });
  });

  it('asks every edge of a fleet of three', async () => {
    await sql`delete from edges where id not in ('e0', 'e2', 'e4')`.execute(fixture.api.db);
    await sql`update edges set probe_failures = 2 where id = 'e2'`.execute(fixture.api.db);
    const { edges, spares, suspects } = await nextProbe();
    expect(edges.map(({ edgeId }) => edgeId)).toEqual(['e0', 'e2', 'e4']);
    expect({ spares, suspects }).toEqual({ spares: [], suspects: ['e2'] });
  });

  it('leaves out edges that fail or do not reach the version, and asks a failing one beside its sample', async () => {
    await insertEdge('failing', { failures: 3 });
    await insertEdge('behind', { version: 0 });
    const { edges, rechecks, suspects } = await nextProbe();
    const ids = edges.map(({ edgeId }) => edgeId);
    expect(ids).toHaveLength(3);
    expect(ids).not.toEqual(expect.arrayContaining(['failing']));
    expect(ids).not.toEqual(expect.arrayContaining(['behind']));
    expect(rechecks).toEqual([{ edgeId: 'failing', address: 'failing:443' }]);
    expect(suspects).toEqual(['failing']);
  });
});

describe('the results of probes', () => {
  const record = (results: DomainEvents['edges.probed']['results']) =>
    probes.record({ domainId: '00000000-0000-4000-8000-000000000000', results });
  const passed = (edgeId: string) => ({ edgeId, error: null });
  const failed = (edgeId: string) => ({ edgeId, error: 'presents another certificate' });

  it('arrive as events', async () => {
    const { domainId } = await nextProbe();
    await fixture.api.messaging.events.emit('edges.probed', { domainId, results: [failed('e1'), passed('e2')] });
    await waitUntil(async () => (await failuresOf('e1')) === 1, { timeoutMs: 15_000, message: 'the failure' });
  });

  it('count failures in a row of edges that others outdo', async () => {
    await record([failed('e1'), passed('e2')]);
    await record([failed('e1'), passed('e3'), failed('gone')]);
    expect(await failuresOf('e1')).toBe(2);
    await record([passed('e1')]);
    expect(await failuresOf('e1')).toBe(0);
  });

  it('say nothing about an edge when no edge passes', async () => {
    await record([failed('e1'), failed('e2')]);
    expect(await failuresOf('e1')).toBe(0);
  });

  it('survive results of the same edges at the same time', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        record(
          index % 2 === 0 ? [failed('e1'), failed('e2'), passed('e3')] : [failed('e2'), failed('e1'), passed('e3')],
        ),
      ),
    );
    expect(await failuresOf('e2')).toBe(20);
  });
});

describe('the wait for edges', () => {
  const MINUTE_MS = 60_000;
  let notifications: NotificationListener;
  let acks: EdgeAcks;
  beforeEach(() => {
    notifications = new NotificationListener(fixture.api.databaseUrl, () => undefined);
    acks = new EdgeAcks(
      feed,
      new AwaitedVersions(fixture.api.db, notifications),
      { EDGE_MAX_STALENESS: 60 },
      notifications,
    );
  });

  it('is held up once by an edge that does not reach a version', async () => {
    await insertEdge('slow', { version: 4 });
    await acks.waitUntilKnown(5, 1);
    // A further wait for this edge would last longer than the test may.
    await acks.waitUntilKnown(5, MINUTE_MS);
    await acks.waitUntilKnown(6, MINUTE_MS);
  });

  it('is for that edge again once it has caught up', async () => {
    await insertEdge('slow', { version: 4 });
    await acks.waitUntilKnown(5, 1);
    await sql`update edges set acked_version = 5 where id = 'slow'`.execute(fixture.api.db);
    await notifications.open();
    let isOver = false;
    const wait = acks.waitUntilKnown(6, MINUTE_MS).then(() => (isOver = true));
    // As long as the wait needs to read the edges.
    await feed.list();
    expect(isOver).toBe(false);
    await sql`update edges set acked_version = 6 where id = 'slow'`.execute(fixture.api.db);
    await sql`select pg_notify('edge_acks', '')`.execute(fixture.api.db);
    await wait;
    await notifications.close();
  });

  it('for a removal is for every edge', async () => {
    await insertEdge('slow', { version: 4 });
    await acks.waitUntilKnown(5, 1);
    expect(await acks.waitUntilStopped(5, 1)).toBe(1);
    expect(await acks.countPending(5)).toBe(1);
  });
});
