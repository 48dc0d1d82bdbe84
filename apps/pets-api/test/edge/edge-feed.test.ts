import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Domain, Project } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { site } from '../projects/bundles.js';
import { acknowledge, readFeed, servedRoutes } from './feed-steps.js';
import { EDGE_TOKEN, startTestApi, type TestApi } from '../harness.js';
import {
  type ScriptedWorker,
  attemptOf,
  matchingFindings,
  orderOf,
  signRequest,
  startScriptedWorker,
} from '../scripted-worker.js';
import { openSession, type SessionMessage } from '../access/session-client.js';

let api: TestApi;
let worker: ScriptedWorker;
let key: string;
let projectId: string;
let count = 0;

const directoryUrl = 'http://ca.test/dir';

beforeAll(async () => {
  api = await startTestApi({ EDGE_MAX_STALENESS: '60' });
  worker = startScriptedWorker(api.messaging);
  ({ key } = await api.createOrganization('pro'));
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'fed-site' } })).body
    .id;
  const headers = { 'content-type': 'application/gzip' };
  await api.request('POST', `/v1/projects/${projectId}/deployments`, { key, body: site, headers });
  await api.messaging.events.emit('account.ready', {
    directoryUrl,
    accountUrl: 'http://ca.test/acct/1',
    thumbprint: 'thumb',
  });
  await waitUntil(async () => (await readFeed(api)).head.thumbprint === 'thumb', {
    timeoutMs: 15_000,
    message: 'the thumbprint',
  });
});
beforeEach(async () => void (await api.db.deleteFrom('edges').execute()));
afterAll(async () => {
  await worker.close();
  await api.close();
});

const internal = { headers: { authorization: `Bearer ${EDGE_TOKEN}` } };
const headVersion = async () => (await readFeed(api)).head.version;
const ack = (edgeId: string, version: number, epoch?: string) =>
  acknowledge(api, api.url, edgeId, { version, ...(epoch !== undefined && { epoch }) });

/** An edge that has applied everything, and stays connected. */
async function joined(edgeId: string) {
  const { head } = await readFeed(api);
  const session = await openSession(api.url, { edgeId, epoch: head.epoch, after: head.version });
  session.ack(head.version);
  await session.next('batch');
  return session;
}

async function issued(): Promise<{ id: string; name: string }> {
  const { id, name } = (
    await api.request<Domain>('POST', `/v1/projects/${projectId}/domains`, {
      key,
      body: { name: `e${++count}.example.com` },
    })
  ).body;
  const check = await worker.nextJob('verify-dns', id);
  await api.messaging.events.emit('dns.checked', { ...attemptOf(check), findings: matchingFindings(check.expected) });
  const job = await worker.nextJob('issue-certificate', id);
  await api.messaging.events.emit('certificate.issued', {
    ...orderOf(job),
    chainPem: await signRequest(job.csrPem, name),
  });
  await worker.nextJob('probe-edge', id);
  return { id, name };
}

const remove = (id: string) => api.request('DELETE', `/v1/projects/${projectId}/domains/${id}`, { key });

describe('the edge feed', () => {
  it('has all served hosts', async () => {
    const { name } = await issued();
    const routes = await servedRoutes(api);
    expect(routes.get('fed-site.pets.localhost')).toMatchObject({
      certificateId: 'platform',
      answersChallenges: false,
      serve: { kind: 'site' },
    });
    expect(routes.get(name)).toMatchObject({
      answersChallenges: true,
      serve: { kind: 'site' },
      certificateId: expect.any(String),
    });
  });

  it('sends each change after its commit, in ascending versions, from the position of the reader', async () => {
    const session = await joined('edge-reader');
    const [greeting] = session.of('batch');
    const version = greeting?.version ?? 0;
    expect(greeting).toMatchObject({ after: version, entries: [], thumbprint: 'thumb' });
    const { id, name } = await issued();
    const isServed = ({ entries }: SessionMessage<'batch'>) =>
      entries.some(({ host, route }) => host === name && route?.certificateId != null);
    await waitUntil(() => session.of('batch').some(isServed), { timeoutMs: 15_000, message: 'the route' });
    const sent = session.of('batch').length;
    session.ack(session.of('batch').at(-1)?.version ?? 0);
    await remove(id);
    const ended = await session.next('batch', sent + 1);
    expect(ended.entries).toEqual([{ host: name, version: ended.version, route: null }]);
    session.close();
    let at = version;
    for (const batch of session.of('batch').slice(1)) {
      expect(batch.after).toBe(at);
      at = batch.version;
    }
  });
});

describe('the certificates for edges', () => {
  it('contain the key sealed', async () => {
    const { name } = await issued();
    const id = (await servedRoutes(api)).get(name)?.certificateId ?? '';
    const { body, text } = await api.request('GET', `/internal/edge/certificates/${id}`, internal);
    expect(body).toMatchObject({
      id,
      chainPem: expect.stringContaining('BEGIN CERTIFICATE'),
      sealedKey: expect.stringMatching(/^v1\.test\./),
    });
    expect(text).not.toContain('PRIVATE KEY');
  });

  it('are answered with 404 when they do not exist', async () => {
    expect(
      (await api.request('GET', '/internal/edge/certificates/00000000-0000-4000-8000-000000000000', internal)).status,
    ).toBe(404);
  });
});

describe('the removal of a domain', () => {
  it('answers 204 when no edge is registered', async () => {
    const { id } = await issued();
    expect((await remove(id)).status).toBe(204);
  });

  it('answers 204 as soon as every edge has acknowledged', async () => {
    const { id } = await issued();
    const edges = [await joined('edge-one'), await joined('edge-two')];
    const removal = remove(id);
    for (const edge of edges) edge.ack((await edge.next('batch', 2)).version);
    expect((await removal).status).toBe(204);
    edges.forEach((edge) => edge.close());
  });

  it('answers 202 with the number of pending edges, and 204 when repeated after their acknowledgement', async () => {
    const { id } = await issued();
    const version = await headVersion();
    await ack('edge-one', version);
    await ack('edge-two', version + 1);
    const pending = await remove(id);
    expect(pending.status).toBe(202);
    expect(pending.body).toMatchObject({ state: 'removed', pendingEdges: 1 });
    expect((await remove(id)).status).toBe(202);
    await ack('edge-one', version + 1);
    expect((await remove(id)).status).toBe(204);
    expect((await api.request('GET', `/v1/projects/${projectId}/domains/${id}`, { key })).body).toMatchObject({
      state: 'removed',
      pendingEdges: 0,
    });
  });

  it('counts an edge that applied another database’s versions as pending', async () => {
    const { id } = await issued();
    await ack('edge-one', 999_999, '00000000-0000-4000-8000-000000000000');
    expect((await remove(id)).status).toBe(202);
  });

  it('counts a dead edge until it deregisters or has stopped serving on its own', async () => {
    const { id } = await issued();
    const version = await headVersion();
    await ack('edge-dead', version);
    await api.db
      .updateTable('edges')
      .set({ last_contact_at: new Date(Date.now() - 50_000) })
      .execute();
    expect((await remove(id)).status).toBe(202);
    await api.db
      .updateTable('edges')
      .set({ last_contact_at: new Date(Date.now() - 61_000) })
      .execute();
    expect((await remove(id)).status).toBe(204);
    const second = await issued();
    await ack('edge-leaving', await headVersion());
    expect((await remove(second.id)).status).toBe(202);
    expect((await api.request('DELETE', '/internal/edge/edges/edge-leaving', internal)).status).toBe(204);
    expect((await remove(second.id)).status).toBe(204);
  });

  it('frees the name immediately', async () => {
    const { id, name } = await issued();
    await remove(id);
    expect((await api.request('POST', `/v1/projects/${projectId}/domains`, { key, body: { name } })).status).toBe(201);
  });
});
