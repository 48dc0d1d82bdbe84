import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeRoute, Project } from '@pets/contracts';
import { EdgeFeedRepository } from '../src/edge/edge-feed.repository.js';
import { firstBatch, openFeed } from './feed-reader.js';
import { EDGE_TOKEN, startTestApi, type TestApi } from './harness.js';
import { releasedFeedMessageSchema } from './released-edge.js';

let api: TestApi;
let feed: EdgeFeedRepository;
let projectId: string;

const suspended: EdgeRoute = { answersChallenges: false, serve: { kind: 'suspended' }, certificateId: 'platform' };
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
afterAll(() => api.close());

const publish = (routes: Record<string, EdgeRoute | null>) =>
  api.db.transaction().execute((tx) => {
    const changes = Object.entries(routes).map(
      ([host, route]) => [host, { projectId, route, traceParent: null }] as const,
    );
    return feed.publish(tx, new Map(changes));
  });

const routeIn = ({ entries }: { entries: readonly { host: string; route: EdgeRoute | null }[] }, host: string) =>
  entries.find((entry) => entry.host === host)?.route;

describe('an edge of the release before, which sends no protocol', () => {
  it('gets a suspended host as removed, in a form that it reads', async () => {
    await publish({ 'a.test': served });
    const { epoch, version } = await firstBatch(api.url);
    const reader = await openFeed(api.url, `after=${version}&epoch=${epoch}&edgeId=edge-released`);
    await reader.next();
    await publish({ 'a.test': suspended });
    const batch = await reader.next();
    await reader.close();
    expect(releasedFeedMessageSchema.parse(batch)).toMatchObject({
      reset: false,
      entries: [{ host: 'a.test', route: null }],
    });
  });

  it('gets no suspended host with a new start', async () => {
    await publish({ 'a.test': suspended, 'b.test': served });
    const batch = await firstBatch(api.url);
    expect(releasedFeedMessageSchema.parse(batch).kind).toBe('batch');
    expect([routeIn(batch, 'a.test'), routeIn(batch, 'b.test')]).toEqual([undefined, served]);
  });
});

describe('an edge of this release', () => {
  it.each(['protocol=2', 'protocol=3'])('gets the route of a suspended host: %s', async (query) => {
    await publish({ 'a.test': suspended });
    const batch = await firstBatch(api.url, `after=0&${query}`);
    expect(batch).toMatchObject({ protocol: 2, reset: true });
    expect(routeIn(batch, 'a.test')).toEqual(suspended);
  });

  it('starts over when its table was sent under an older protocol', async () => {
    await publish({ 'a.test': suspended });
    const { epoch, version } = await firstBatch(api.url);
    const at = `after=${version}&epoch=${epoch}&protocol=2`;
    expect(await firstBatch(api.url, `${at}&held=1`)).toMatchObject({ reset: true, after: 0 });
    expect(await firstBatch(api.url, `${at}&held=2`)).toMatchObject({ reset: false, after: version, entries: [] });
  });

  it('gets a resumed host, and a removed one', async () => {
    await publish({ 'a.test': suspended });
    await publish({ 'a.test': served });
    expect(routeIn(await firstBatch(api.url, 'after=0&protocol=2'), 'a.test')).toEqual(served);
    await publish({ 'a.test': null });
    expect(routeIn(await firstBatch(api.url, 'after=0&protocol=2'), 'a.test')).toBeUndefined();
  });
});

it('answers 410 with the reason to an edge that is too old', async () => {
  const headers = { authorization: `Bearer ${EDGE_TOKEN}` };
  const answer = await api.request('GET', '/internal/edge/feed?after=0&protocol=0', { headers });
  expect(answer).toMatchObject({
    status: 410,
    body: { code: 'gone', message: expect.stringContaining('Update the edge') },
  });
});
