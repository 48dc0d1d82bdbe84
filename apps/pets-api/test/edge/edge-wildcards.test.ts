import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EdgeRoute, Project } from '@pets/contracts';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { startTestApi, type TestApi } from '../harness.js';
import { openSession, type SessionClient, type SessionOptions } from '../access/session-client.js';

let api: TestApi;
let feed: EdgeFeedRepository;
let projectId: string;
let count = 0;
const opened: SessionClient[] = [];

const served: EdgeRoute = {
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId: 'platform',
};
const wildcard: EdgeRoute = { ...served, answersChallenges: false };
const suspended: EdgeRoute = { ...wildcard, serve: { kind: 'suspended' } };
const excluded: EdgeRoute = { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null };

beforeAll(async () => {
  api = await startTestApi();
  feed = new EdgeFeedRepository(api.db);
  const { key } = await api.createOrganization('pro');
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'p' } })).body.id;
});
beforeEach(async () => {
  await api.db.deleteFrom('edge_routes').execute();
});
afterEach(async () => {
  opened.splice(0).forEach((client) => client.close());
  await api.db.deleteFrom('edges').execute();
});
afterAll(() => api.close());

const publish = (routes: Record<string, EdgeRoute | null>, by = projectId) =>
  api.db.transaction().execute((tx) => {
    const changes = Object.entries(routes).map(
      ([host, route]) => [host, { projectId: by, route, traceParent: null }] as const,
    );
    return feed.publish(tx, new Map(changes));
  });

async function open(options: Partial<SessionOptions>): Promise<SessionClient> {
  const { epoch, version } = await feed.head();
  const client = await openSession(api.url, { edgeId: `edge-wildcard-${++count}`, epoch, after: version, ...options });
  opened.push(client);
  client.ack(options.after ?? version);
  return client;
}

const routesIn = ({ entries }: { entries: readonly { host: string; route: EdgeRoute | null }[] }) =>
  Object.fromEntries(entries.map(({ host, route }) => [host, route]));

const routes = { '*.wild.test': wildcard, '*.sad.test': suspended, 'a.wild.test': served, 'b.wild.test': excluded };

describe('a session', () => {
  it('receives wildcards and excluded hosts as they are published', async () => {
    const client = await open({});
    await client.next('batch');
    await publish(routes);
    expect(routesIn(await client.next('batch', 2))).toEqual(routes);
  });

  it('receives the same when it joins later, from recent batches or from the table', async () => {
    const { version } = await feed.head();
    await publish(routes);
    const recent = await open({ after: version });
    expect(routesIn(await recent.next('batch'))).toEqual(routes);
    const replica = await api.startReplica();
    const { epoch } = await feed.head();
    const client = await openSession(replica.url, { edgeId: 'edge-of-replica', epoch, after: version });
    opened.push(client);
    client.ack(version);
    expect(routesIn(await client.next('batch'))).toEqual(routes);
  });

  it('receives an exact host that is excluded later', async () => {
    await publish({ 'a.wild.test': served });
    const client = await open({});
    await client.next('batch');
    await publish({ 'a.wild.test': excluded });
    expect(routesIn(await client.next('batch', 2))).toEqual({ 'a.wild.test': excluded });
  });
});

it('of another organization stands in for no name below it, from its version on', async () => {
  const pending: EdgeRoute = { ...served, serve: null, certificateId: null };
  const waiting: EdgeRoute = { ...pending, wildcardUntilCertified: true };
  await publish({ '*.wild.test': wildcard, 'a.wild.test': waiting, 'a.b.wild.test': waiting, 'a.other.test': waiting });
  const client = await open({});
  await client.next('batch');
  await publish({ '*.wild.test': { ...wildcard, certificateId: 'c2' } });
  expect(routesIn(await client.next('batch', 2))).toEqual({ '*.wild.test': { ...wildcard, certificateId: 'c2' } });
  const { key } = await api.createOrganization('pro');
  const other = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'O', slug: 'other' } });
  await publish({ '*.wild.test': wildcard }, other.body.id);
  const batch = await client.next('batch', 3);
  expect(routesIn(batch)).toEqual({ '*.wild.test': wildcard, 'a.wild.test': pending });
  expect(new Set(batch.entries.map(({ version }) => version))).toEqual(new Set([batch.version]));
  await publish({ 'b.wild.test': waiting, 'b.other.test': waiting });
  expect(routesIn(await client.next('batch', 4))).toEqual({ 'b.wild.test': pending, 'b.other.test': waiting });
});

it.each([
  ['a.wild.test', served],
  ['any.wild.test', wildcard],
  ['b.wild.test', null],
  ['c.any.wild.test', null],
  ['wild.test', null],
  ['a.sad.test', null],
  ['own.wild.test', wildcard],
  ['suspended.wild.test', null],
  ['pending.wild.test', { ...served, serve: null, certificateId: null }],
])('gives a gateway the route of %s', async (host, route) => {
  const pending: EdgeRoute = { ...served, serve: null, certificateId: null };
  await publish({
    ...routes,
    'own.wild.test': { ...pending, wildcardUntilCertified: true },
    'suspended.wild.test': suspended,
    'pending.wild.test': pending,
  });
  expect(await feed.routeOf(host)).toEqual(route);
});
