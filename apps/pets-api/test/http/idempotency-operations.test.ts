import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operations, takesIdempotencyKey, type OperationId } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { makeBundle, manifestOf, site, siteFiles } from '../projects/bundles.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import type { RequestOptions } from '../harness.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

type Keyed =
  { readonly method: 'post'; readonly scope: string } | { readonly method: 'post'; readonly holder: 'api_key' };
/** The operations that take an `Idempotency-Key`: those of set-up links take no key of a member. */
type Post = {
  [Id in OperationId]: (typeof operations)[Id] extends { readonly isRepeatable: true }
    ? never
    : (typeof operations)[Id] extends Keyed
      ? Id
      : never;
}[OperationId];

const isPost = (id: OperationId): id is Post => takesIdempotencyKey(operations[id]);
const posts = Object.keys(operations).filter((id): id is Post => isPost(id as OperationId));

interface Ask extends RequestOptions {
  readonly path: string;
}

const createPet = async () => {
  const body = { name: 'Rex', categoryId: 1 };
  return (await fixture.api.request<{ id: number }>('POST', '/v1/pets', { key: fixture.key, body })).body.id;
};

const WEBHOOKS = '/v1/webhook-endpoints';
const webhook = { url: 'https://hooks.example.com/', eventTypes: ['pet.created'] };
const createWebhook = async () =>
  (await fixture.api.request('POST', WEBHOOKS, { key: fixture.key, body: webhook })).headers.get('location') ?? '';

/** A request that succeeds, of each POST there is. */
const requests: Record<Post, () => Promise<Ask>> = {
  createPet: async () => ({ path: '/v1/pets', body: { name: 'Rex', categoryId: 1 } }),
  createOrder: async () => ({ path: '/v1/store/orders', body: { petId: await createPet(), quantity: 1 } }),
  createProject: async () => ({ path: '/v1/projects', body: { name: 'P', slug: `s-${randomUUID()}` } }),
  createDeployment: async () => ({
    path: `/v1/projects/${fixture.projectId}/deployments`,
    body: site,
    headers: { 'content-type': 'application/gzip' },
  }),
  completeUpload: async () => {
    const path = `/v1/projects/${fixture.projectId}/uploads`;
    const send = async (to: string, type: string, body: unknown) => {
      const ask = { key: fixture.key, body, headers: { 'content-type': type } };
      return (await fixture.api.request<{ id: string }>('POST', to, ask)).body.id;
    };
    const id = await send(path, 'application/x-ndjson', manifestOf(siteFiles));
    await send(`${path}/${id}/files`, 'application/gzip', site);
    return { path: `${path}/${id}/deployment` };
  },
  activateDeployment: async () => {
    const path = `/v1/projects/${fixture.projectId}/deployments`;
    const { body } = await fixture.api.request<{ id: string }[]>('GET', path, { key: fixture.key });
    return { path: `${path}/${body.at(-1)?.id}/activate` };
  },
  createChannelLink: async () => {
    const channel = `/v1/projects/${fixture.projectId}/channels/protected`;
    const { path, body: bundle, headers } = await requests.createDeployment();
    const query = '?channel=protected&access=link';
    await fixture.api.request('POST', path + query, { key: fixture.key, body: bundle, headers });
    return { path: `${channel}/links`, body: {} };
  },
  testOrigin: async () => {
    const path = `/v1/projects/${fixture.projectId}/origin`;
    await fixture.api.request('PUT', path, { key: fixture.key, body: { url: 'https://app.example.net' } });
    return { path: `${path}/test` };
  },
  testDomainOrigin: async () => {
    const path = `${fixture.path()}/${(await fixture.add(fixture.freshName())).id}/origin`;
    await fixture.api.request('PUT', path, { key: fixture.key, body: { url: 'https://app.example.net' } });
    return { path: `${path}/test` };
  },
  addDomain: async () => ({ path: fixture.path(), body: { name: fixture.freshName() } }),
  addDomains: async () => ({ path: `${fixture.path()}:batch`, body: { domains: [{ name: fixture.freshName() }] } }),
  removeDomains: async () => ({
    path: `${fixture.path()}:batchRemove`,
    body: { domains: [{ name: (await fixture.add(fixture.freshName())).name }] },
  }),
  createDomainImport: async () => ({
    path: `/v1/projects/${fixture.projectId}/domain-imports`,
    body: Buffer.from(`"${fixture.freshName()}"`),
    headers: { 'content-type': 'application/x-ndjson' },
  }),
  cancelDomainImport: async () => {
    const { path, ...ask } = await requests.createDomainImport();
    const { body } = await fixture.api.request<{ id: string }>('POST', path, { key: fixture.key, ...ask });
    return { path: `${path}/${body.id}/cancel` };
  },
  verifyDomain: async () => ({ path: `${fixture.path()}/${(await fixture.add(fixture.freshName())).id}/verify` }),
  watchDomain: async () => ({ path: `${fixture.path()}/${(await fixture.add(fixture.freshName())).id}/watch` }),
  createSetupLink: async () => ({
    path: `${fixture.path()}/${(await fixture.add(fixture.freshName())).id}/setup-links`,
    body: {},
  }),
  moveDomain: async () => ({
    path: `${fixture.path()}/${(await fixture.add(fixture.freshName())).id}/move`,
    body: { projectId: await fixture.createProject(fixture.key, true) },
  }),
  reverifyDomain: async () => {
    const { id, issue } = await fixture.verified();
    await fixture.failIssuance(issue, { type: null, detail: 'gone', status: null, retryAt: null });
    return { path: `${fixture.path()}/${id}/reverify` };
  },
  createApiKey: async () => ({ path: '/v1/api-keys', body: { name: 'script', scopes: ['pets:read'] } }),
  createSession: async () => ({ path: '/v1/sessions' }),
  createInvitation: async () => ({ path: '/v1/invitations', body: { name: 'Ada', role: 'viewer' } }),
  createWebhookEndpoint: async () => ({ path: WEBHOOKS, body: webhook }),
  rotateWebhookSecret: async () => ({ path: `${await createWebhook()}/rotate-secret` }),
  testWebhookEndpoint: async () => ({ path: `${await createWebhook()}/test` }),
  replayWebhookDelivery: async () => {
    const endpoint = await createWebhook();
    const { body } = await fixture.api.request<{ id: string }>('POST', `${endpoint}/test`, { key: fixture.key });
    return { path: `${endpoint}/deliveries/${body.id}/replay` };
  },
};

const send = ({ path, headers, ...ask }: Ask, idempotencyKey: string) =>
  fixture.api.request('POST', path, {
    key: fixture.key,
    ...ask,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
  });

describe('every POST', () => {
  it.each(posts)('is done once a key: %s', async (operation) => {
    const ask = await requests[operation]();
    const idempotencyKey = randomUUID();
    let first = await send(ask, idempotencyKey);
    // What has to wait for the worker's result is refused until then; a refusal is not kept.
    await waitUntil(async () => first.status < 300 || (first = await send(ask, idempotencyKey)).status < 300, {
      timeoutMs: 15_000,
      message: operation,
    });
    const again = await send(ask, idempotencyKey);
    expect(again.status).toBe(first.status);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const malformed = await send(ask, '"');
    expect(malformed.status).toBe(400);
    expect(malformed.body.code).toBe('invalid_parameter');
    expect(malformed.body.message).toMatch(/^Idempotency-Key: /);
  });

  it('has a Location header with and without a key', async () => {
    const [bare, keyed] = [await requests.createProject(), await requests.createProject()];
    const plain = await fixture.api.request<{ id: string }>('POST', bare.path, { key: fixture.key, ...bare });
    expect(plain.headers.get('location')).toBe(`/v1/projects/${plain.body.id}`);
    expect((await send(keyed, randomUUID())).headers.get('location')).toMatch(/^\/v1\/projects\/[0-9a-f-]{36}$/);
  });
});

describe('an upload', () => {
  it('of other files under the same key is 422, and leaves the first ones served', async () => {
    const ask = await requests.createDeployment();
    const deployments = async () => (await fixture.api.request('GET', ask.path, { key: fixture.key })).text;
    const idempotencyKey = randomUUID();
    await send(ask, idempotencyKey);
    const before = await deployments();
    const other = await send({ ...ask, body: makeBundle([{ path: 'other.html', content: 'x' }]) }, idempotencyKey);
    expect(other.status).toBe(422);
    expect(other.body.code).toBe('idempotency_key_reused');
    expect(await deployments()).toBe(before);
  });
});

describe('a request with a key', () => {
  /** Twice what a replica has connections: were a second one needed, all would wait for each other. */
  const crowd = Array.from({ length: 20 }, () => randomUUID());

  it('uses one database connection, also under concurrency', async () => {
    const path = fixture.path(await fixture.createProject(fixture.key, true));
    const added = await Promise.all(crowd.map((key) => send({ path, body: { name: fixture.freshName() } }, key)));
    expect(added.map(({ status }) => status)).toEqual(crowd.map(() => 201));
    const domain = added[0]?.headers.get('location') ?? '';
    const verified = await Promise.all(crowd.map((key) => send({ path: `${domain}/verify` }, key)));
    expect(verified.map(({ status }) => status)).toEqual(crowd.map(() => 202));
    const refused = await Promise.all(crowd.map((key) => send({ path: `${domain}/reverify` }, key)));
    expect(refused.map(({ body }) => body.code)).toEqual(crowd.map(() => 'reverify_too_early'));
  });
});
