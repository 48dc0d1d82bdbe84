import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Domain, DomainHistoryEntry, Project } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { site } from '../projects/bundles.js';
import { acknowledge } from '../edge/feed-steps.js';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';
import { attemptOf, matchingFindings, startScriptedWorker, type ScriptedWorker } from '../scripted-worker.js';

let api: TestApi;
let worker: ScriptedWorker;
let key: string;
let projectId: string;
let count = 0;

beforeAll(async () => {
  api = await startTestApi({ EDGE_MAX_STALENESS: '60' });
  worker = startScriptedWorker(api.messaging);
  ({ key } = await api.createOrganization('pro'));
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'stopping' } })).body
    .id;
  const headers = { 'content-type': 'application/gzip' };
  await api.request('POST', `/v1/projects/${projectId}/deployments`, { key, body: site, headers });
});
beforeEach(async () => void (await api.db.deleteFrom('edges').execute()));
afterAll(async () => {
  await worker.close();
  await api.close();
});

/** A domain that the edges know. */
async function addVerified(): Promise<string> {
  const body = { name: `s${++count}.example.com` };
  const { id } = (await api.request<Domain>('POST', `/v1/projects/${projectId}/domains`, { key, body })).body;
  const check = await worker.nextJob('verify-dns', id);
  await api.messaging.events.emit('dns.checked', { ...attemptOf(check), findings: matchingFindings(check.expected) });
  await waitUntil(async () => (await stateOf(id)) === 'verified', { timeoutMs: 15_000, message: 'it is verified' });
  return id;
}

const stateOf = async (id: string) =>
  (await api.request<Domain>('GET', `/v1/projects/${projectId}/domains/${id}`, { key })).body.state;

const remove = (id: string) => api.request('DELETE', `/v1/projects/${projectId}/domains/${id}`, { key });

async function lines(of: ApiReplica, id: string): Promise<string[]> {
  const path = `/v1/projects/${projectId}/domains/${id}/events`;
  return (await of.request<DomainHistoryEntry[]>('GET', path, { key })).body.map(({ type }) => type);
}

const isTold = (of: ApiReplica, id: string) =>
  waitUntil(async () => (await lines(of, id)).includes('traffic.stopped'), {
    timeoutMs: 15_000,
    message: 'traffic.stopped',
  });

describe('a removal that some edge has not applied', () => {
  it('records once in the history when the last edge has applied it, with several replicas', async () => {
    const second = await api.startReplica();
    const id = await addVerified();
    await acknowledge(api, api.url, 'edge-one');
    await acknowledge(api, api.url, 'edge-two');
    expect((await remove(id)).status).toBe(202);
    await acknowledge(api, api.url, 'edge-one');
    expect((await remove(id)).status).toBe(202);
    expect(await lines(api, id)).not.toContain('traffic.stopped');
    await acknowledge(api, api.url, 'edge-two');
    expect((await remove(id)).status).toBe(204);
    await isTold(api, id);
    expect(await lines(api, id)).toEqual(['owner.added', 'dns.checked', 'owner.removed', 'traffic.stopped']);
    await second.stopApi();
  });

  it('waits for a lost edge until it has stopped serving on its own', async () => {
    const id = await addVerified();
    await acknowledge(api, api.url, 'edge-gone');
    expect((await remove(id)).status).toBe(202);
    const lastContact = { last_contact_at: new Date(Date.now() - 61_000) };
    await api.db.updateTable('edges').set(lastContact).execute();
    await isTold(api, id);
  });

  it('is recorded in the history after a restart of pets-api', async () => {
    const id = await addVerified();
    await acknowledge(api, api.url, 'edge-one');
    expect((await remove(id)).status).toBe(202);
    await api.stopApi();
    const next = await api.startReplica();
    await acknowledge(api, next.url, 'edge-one');
    await isTold(next, id);
  });
});
