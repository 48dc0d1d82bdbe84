import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeRoute, Project } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { startTestApi, type TestApi } from '../harness.js';
import { openSession as open, type SessionClient, type SessionOptions } from '../access/session-client.js';

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

beforeAll(async () => {
  api = await startTestApi({ EDGE_MAX_STALENESS: '60' });
  feed = new EdgeFeedRepository(api.db);
  const { key } = await api.createOrganization('pro');
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'p' } })).body.id;
});
afterEach(async () => {
  opened.splice(0).forEach((client) => client.close());
  await api.db.deleteFrom('edges').execute();
});
afterAll(() => api.close());

const publish = (routes: Record<string, EdgeRoute | null>) =>
  api.db.transaction().execute((tx) => {
    const changes = Object.entries(routes).map(
      ([host, route]) => [host, { projectId, route, traceParent: null }] as const,
    );
    return feed.publish(tx, new Map(changes));
  });

async function openSession(options: Partial<SessionOptions> = {}, url = api.url): Promise<SessionClient> {
  const { epoch, version } = await feed.head();
  const client = await open(url, { edgeId: `edge-session-${++count}`, epoch, after: version, ...options });
  opened.push(client);
  return client;
}

/** A session that is up to date. */
async function joined(options: Partial<SessionOptions> = {}, url = api.url): Promise<SessionClient> {
  const client = await openSession(options, url);
  client.ack((await feed.head()).version);
  await client.next('batch');
  return client;
}

const rowOf = (edgeId: string) => api.db.selectFrom('edges').selectAll().where('id', '=', edgeId).executeTakeFirst();

describe('a session', () => {
  it('sends nothing before the registration is committed, then the contact and the head', async () => {
    const client = await openSession();
    const { sentAtMs } = client.ack((await feed.head()).version);
    await client.next('batch');
    const { epoch, version, thumbprint } = await feed.head();
    expect(client.messages).toEqual([
      { kind: 'contact', contactAtMs: sentAtMs },
      expect.objectContaining({ kind: 'batch', entries: [], protocol: 1, epoch, version, thumbprint }),
    ]);
    expect(await rowOf(client.edgeId)).toMatchObject({ acked_version: BigInt((await feed.head()).version) });
  });

  it('gets what was published between the opening and the registration', async () => {
    const client = await openSession();
    const { version } = await feed.head();
    await publish({ 'between.test': served });
    client.ack(version);
    const batch = await client.next('batch');
    expect(batch).toMatchObject({ after: version, version: version + 1, entries: [{ host: 'between.test' }] });
  });

  it('gets each change after its commit, and a removal counts it until it acknowledges', async () => {
    const client = await joined();
    const version = await publish({ 'live.test': null });
    expect(await client.next('batch', 2)).toMatchObject({ after: version - 1, version, entries: [{ route: null }] });
    expect(await feed.countPending(version, 60)).toBe(1);
    client.ack(version);
    await waitUntil(async () => (await feed.countPending(version, 60)) === 0, { message: 'the acknowledgement' });
  });

  it('gets a suspended host with its route, then as resumed, then as removed', async () => {
    const client = await joined();
    const suspended: EdgeRoute = { ...served, answersChallenges: false, serve: { kind: 'suspended' } };
    for (const [index, route] of [suspended, served, null].entries()) {
      const version = await publish({ 'sad.test': route });
      const { entries } = await client.next('batch', index + 2);
      expect(entries).toEqual([{ host: 'sad.test', version, route }]);
    }
  });
});

describe('the API', () => {
  it('hands all sessions of a replica the same text', async () => {
    const clients = await Promise.all(Array.from({ length: 60 }, () => joined()));
    await publish({ 'same.test': served, 'other.test': served });
    await Promise.all(clients.map((client) => client.next('batch', 2)));
    expect(new Set(clients.map(({ texts }) => texts.find((text) => text.includes('same.test')))).size).toBe(1);
  });

  it.each([
    ['a wrong token', { token: 'wrong' }, /^401 .*"code":"invalid_api_key"/],
    ['a protocol that is too old', { protocol: 0 }, /^410 .*"code":"gone".*only 1\. Update the edge\./],
    ['a protocol that is too new', { protocol: 2 }, /^410 .*"code":"gone".*only 1\. Update pets-api before/],
  ])('refuses %s', async (_name, options, refusal) => {
    await expect(openSession(options)).rejects.toThrow(refusal);
  });

  it('answers a request that is no upgrade with 400', async () => {
    const headers = { authorization: 'Bearer edge-token-of-the-tests' };
    const answer = await api.request('GET', '/internal/edge/session?after=0&protocol=1', { headers });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});
