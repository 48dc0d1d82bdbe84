import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, Origin, OriginOpinion, Project } from '@pets/contracts';
import { readProjectEvents, type ProjectEvent } from '@pets/client';
import { waitUntil } from '@pets/testing';
import { openSession, type SessionClient } from '../access/session-client.js';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { OriginHealthService } from '../../src/projects/origins/origin-health.service.js';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';

const refused = { code: 'connection', detail: 'no connection to app.example.net:443: ECONNREFUSED' } as const;
const noAddress = { code: 'dns', detail: 'no address found for app.example.net' } as const;

/** The time of the API, which tests move on; edges report in real time. */
let aheadMs = 0;
const clock = () => new Date(Date.now() + aheadMs);

let api: TestApi;
let key: string;
let feed: EdgeFeedRepository;
const edges = new Map<string, SessionClient>();

beforeAll(async () => {
  api = await startTestApi({}, clock);
  ({ key } = await api.createOrganization('pro'));
  feed = new EdgeFeedRepository(api.db);
});
afterEach(async () => {
  for (const [id, edge] of edges) {
    edge.close();
    await feed.forget(id);
  }
  edges.clear();
});
afterAll(() => api.close());

let count = 0;

interface Serving {
  readonly id: string;
  readonly path: string;
  readonly projectId: string;
}

/** A project with an application that serves, and an endpoint that gets its events. */
async function serve(): Promise<Serving> {
  const slug = `healthy-${(count += 1)}`;
  const { body: project } = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'App', slug } });
  const path = `/v1/projects/${project.id}/origin`;
  const eventTypes = ['origin.failing', 'origin.restored', 'origin.changed', 'origin.tested', 'origin.removed'];
  const endpoint = { url: 'https://hooks.example.com/', eventTypes, projectId: project.id };
  expect((await api.request('POST', '/v1/webhook-endpoints', { key, body: endpoint })).status).toBe(201);
  const { body } = await api.request<Origin>('PUT', path, { key, body: { url: 'https://app.example.net' } });
  await api.db.updateTable('origins').set({ served_since: clock() }).where('id', '=', body.id).execute();
  return { id: body.id, path, projectId: project.id };
}

const read = async ({ path }: Serving) => (await api.request<Origin>('GET', path, { key })).body;

/** The session of an edge, which stays in contact. */
async function edgeOf(id: string): Promise<SessionClient> {
  const known = edges.get(id);
  if (known !== undefined) return known;
  const { epoch, version } = await feed.head();
  const edge = await openSession(api.url, { edgeId: id, epoch, after: version });
  edges.set(id, edge);
  edge.ack(version);
  await edge.next('contact');
  return edge;
}

/** Has an edge say something about an origin, and waits until it is stored. */
async function say(edgeId: string, { id }: Serving, failure: OriginOpinion['failure']): Promise<void> {
  const edge = await edgeOf(edgeId);
  edge.ack(0, { originHealth: [{ origin: id, failure }] });
  const isStored = async () => {
    const row = await api.db
      .selectFrom('origin_votes')
      .select('failure')
      .where('origin_id', '=', id)
      .where('edge_id', '=', edgeId)
      .executeTakeFirst();
    return row !== undefined && row.failure?.code === failure?.code;
  };
  await waitUntil(isStored, { message: `${edgeId} has said ${failure?.code ?? 'that it connects'}` });
}

/** Moves the clock on, and counts the votes. */
async function after(seconds: number, replica: ApiReplica = api): Promise<void> {
  aheadMs += seconds * 1_000;
  await replica.service(OriginHealthService).evaluate();
}

/** From the first vote to the decision. */
async function decided(): Promise<void> {
  await after(0);
  await after(31);
}

async function deliveries({ id }: Serving): Promise<readonly { type: string; data: Origin; sequence: number }[]> {
  const rows = await api.db
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('subject_id', '=', id)
    .orderBy('number')
    .execute();
  return rows.map(({ body }) => JSON.parse(body) as { type: string; data: Origin; sequence: number });
}
const healthEvents = async (origin: Serving) =>
  (await deliveries(origin)).map(({ type }) => type).filter((type) => /failing|restored/.test(type));

/** Makes an origin fail, with its event. */
async function fail(): Promise<Serving> {
  const origin = await serve();
  await say('edge-one', origin, refused);
  await decided();
  expect((await read(origin)).health).toMatchObject({ state: 'failing' });
  return origin;
}

describe('an origin that a majority of edges cannot connect to', () => {
  it('is failing after 30 seconds, and restored likewise, with one event each', async () => {
    const origin = await serve();
    expect((await read(origin)).health).toMatchObject({ state: 'reachable', failure: null });
    await say('edge-one', origin, refused);
    const since = clock().getTime();
    await after(0);
    await after(25);
    expect((await read(origin)).health).toMatchObject({ state: 'reachable', failure: null });
    await after(6);
    await after(5);
    const { health } = await read(origin);
    expect(health).toEqual({ state: 'failing', since: expect.any(String), failure: refused });
    expect(Math.abs(Date.parse(health?.since ?? '') - since)).toBeLessThan(10_000);

    await say('edge-one', origin, null);
    await decided();
    await after(5);
    expect((await read(origin)).health).toMatchObject({ state: 'reachable', failure: null });
    const events = await deliveries(origin);
    expect(events.map(({ type, sequence, data }) => [type, sequence, data.health?.state])).toEqual([
      ['origin.changed', 1, undefined],
      ['origin.failing', 2, 'failing'],
      ['origin.restored', 3, 'reachable'],
    ]);
    expect(events[1]?.data).toMatchObject({
      id: origin.id,
      url: 'https://app.example.net',
      health: { failure: refused },
    });
    const votes = api.db.selectFrom('origin_votes').select('edge_id').where('origin_id', '=', origin.id);
    expect(await votes.execute()).toEqual([]);
  });

  it('is in the audit log, and in the stream of the project', async () => {
    const origin = await serve();
    const abort = new AbortController();
    const events: ProjectEvent[] = [];
    const reading = (async () => {
      const { projectId } = origin;
      const options = { baseUrl: api.url, apiKey: key, projectId, signal: abort.signal };
      for await (const event of readProjectEvents(options)) events.push(event);
    })();
    await waitUntil(() => events.some(({ type }) => type === 'ready'));
    await say('edge-one', origin, noAddress);
    await decided();
    await waitUntil(() => events.some((event) => event.type === 'origin' && event.originId === origin.id));
    abort.abort();
    await reading;
    const { body } = await api.request<AuditEvent[]>('GET', '/v1/audit-events?limit=1', { key });
    expect(body).toMatchObject([
      {
        type: 'origin.failing',
        actor: { kind: 'system' },
        subject: { kind: 'origin', id: origin.id },
        detail: { projectId: origin.projectId, failure: 'dns' },
      },
    ]);
  });

  it('has the reason that most edges give', async () => {
    const origin = await serve();
    for (const id of ['edge-one', 'edge-two']) await say(id, origin, noAddress);
    await say('edge-three', origin, refused);
    await decided();
    expect((await read(origin)).health?.failure).toEqual(noAddress);
    await say('edge-two', origin, refused);
    await after(5);
    expect((await read(origin)).health?.failure).toEqual(refused);
    expect(await healthEvents(origin)).toEqual(['origin.failing']);
  });

  it('stays as it is while it does not serve', async () => {
    const origin = await serve();
    await api.db.updateTable('origins').set({ served_since: null }).where('id', '=', origin.id).execute();
    const other = await serve();
    const edge = await edgeOf('edge-one');
    edge.ack(0, { originHealth: [{ origin: origin.id, failure: refused }] });
    await say('edge-one', other, refused); // after the first one
    await decided();
    expect((await read(origin)).health).toBeNull();
    expect((await read(other)).health?.state).toBe('failing');
  });
});

describe('an edge', () => {
  it('is asked about origins that another cannot connect to, until none says so', async () => {
    const origin = await serve();
    const other = await edgeOf('edge-two');
    await say('edge-one', origin, refused);
    await after(0);
    const asked = () => other.of('contact').flatMap(({ origins = [] }) => [origins]);
    const contact = async () => {
      other.ack(0);
      return asked().at(-1);
    };
    await waitUntil(async () => (await contact())?.includes(origin.id), { timeoutMs: 30_000 });
    await say('edge-one', origin, null);
    await after(0);
    await after(0); // the watch has ended
    await waitUntil(async () => (await contact())?.length === 0, { timeoutMs: 30_000 });
  }, 90_000);

  it('decides nothing alone: one of two, and one before the other has said anything', async () => {
    const origin = await serve();
    await edgeOf('edge-two');
    await say('edge-one', origin, refused);
    await decided();
    expect((await read(origin)).health?.state).toBe('reachable');
    await say('edge-two', origin, null);
    await decided();
    expect((await read(origin)).health?.state).toBe('reachable');
    await say('edge-two', origin, refused);
    await decided();
    expect((await read(origin)).health?.state).toBe('failing');
    expect(await healthEvents(origin)).toEqual(['origin.failing']);
  });

  it('has no vote once it is forgotten', async () => {
    const origin = await serve();
    for (const id of ['edge-one', 'edge-two']) await say(id, origin, refused);
    await say('edge-three', origin, null);
    await after(0);
    await after(20);
    await feed.forget('edge-two');
    edges.get('edge-two')?.close();
    await decided();
    expect((await read(origin)).health?.state).toBe('reachable');
    // The one that is left is the majority.
    await feed.forget('edge-three');
    edges.get('edge-three')?.close();
    await decided();
    expect((await read(origin)).health?.state).toBe('failing');
  });

  it('has no vote when it is not in contact', async () => {
    const origin = await serve();
    for (const id of ['edge-one', 'edge-two']) await say(id, origin, refused);
    await say('edge-three', origin, null);
    const silent = ['edge-one', 'edge-two'];
    for (const id of silent) edges.get(id)?.close();
    await api.db
      .updateTable('edges')
      .set({ last_contact_at: new Date(Date.now() - 16_000) })
      .where('id', 'in', silent)
      .execute();
    await decided();
    expect((await read(origin)).health?.state).toBe('reachable');
    for (const id of silent) edges.delete(id);
    for (const id of silent) await say(id, origin, refused);
    await decided();
    expect((await read(origin)).health?.state).toBe('failing');
  });

  it('that nobody replaces leaves a failing origin as it is', async () => {
    const origin = await fail();
    await feed.forget('edge-one');
    await decided();
    expect((await read(origin)).health).toMatchObject({ state: 'failing', failure: refused });
    await say('edge-two', origin, null);
    await decided();
    expect((await read(origin)).health?.state).toBe('reachable');
    expect(await healthEvents(origin)).toEqual(['origin.failing', 'origin.restored']);
  });
});

describe('an origin that flaps', () => {
  it('sends a pair of events in ten minutes, and its state stays right', async () => {
    const origin = await fail();
    const states: (string | undefined)[] = [];
    for (const failure of [null, refused, null, refused]) {
      await say('edge-one', origin, failure);
      await decided();
      states.push((await read(origin)).health?.state);
    }
    expect(states).toEqual(['reachable', 'failing', 'reachable', 'failing']);
    expect(await healthEvents(origin)).toEqual(['origin.failing', 'origin.restored']);
    await after(10 * 60);
    expect(await healthEvents(origin)).toEqual(['origin.failing', 'origin.restored', 'origin.failing']);
  });
});

describe('the API', () => {
  it('neither loses nor repeats an event: of two replicas one sends it, and another goes on', async () => {
    const origin = await serve();
    await say('edge-one', origin, refused);
    await after(0);
    const second = await api.startReplica();
    // The clock of the second one is that of the machine, so it is moved to where the first one begins.
    await api.db
      .updateTable('origin_health')
      .set({ opposite_since: new Date(Date.now() - 31_000) })
      .where('origin_id', '=', origin.id)
      .execute();
    await Promise.all([second, second, api].map((replica) => replica.service(OriginHealthService).evaluate()));
    expect(await healthEvents(origin)).toEqual(['origin.failing']);
    await second.stopApi();
    await say('edge-one', origin, null);
    await decided();
    expect(await healthEvents(origin)).toEqual(['origin.failing', 'origin.restored']);
  }, 60_000);
});

describe('a change', () => {
  it('of a failing origin keeps its state, until edges have said otherwise of the new one', async () => {
    const origin = await fail();
    await api.request('PUT', origin.path, { key, body: { url: 'https://other.example.net' } });
    await decided();
    expect((await read(origin)).health?.state).toBe('failing');
    await say('edge-one', origin, null);
    await decided();
    expect((await read(origin)).health?.state).toBe('reachable');
    expect((await deliveries(origin)).map(({ type }) => type)).toEqual([
      'origin.changed',
      'origin.failing',
      'origin.changed',
      'origin.restored',
    ]);
  });

  it('and a removal are events, and a removal leaves no row', async () => {
    const origin = await fail();
    expect((await api.request('DELETE', origin.path, { key })).status).toBe(204);
    const last = (await deliveries(origin)).at(-1);
    expect(last).toMatchObject({ type: 'origin.removed', sequence: 3, data: { health: { state: 'failing' } } });
    for (const table of ['origin_health', 'origin_votes'] as const)
      expect(await api.db.selectFrom(table).selectAll().where('origin_id', '=', origin.id).execute()).toEqual([]);
  });
});
