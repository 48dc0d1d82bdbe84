import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  ApiError,
  Channel,
  Deployment,
  EdgeRoute,
  Explanation,
  Organization,
  Project,
  RemovedChannel,
} from '@pets/contracts';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { ChannelsSweeper } from '../../src/projects/channels/channels.service.js';
import { acknowledge } from '../edge/feed-steps.js';
import { startTestApi, type TestApi } from '../harness.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { makeBundle } from './bundles.js';

const DAY_MS = 86_400_000;

let api: TestApi;
let key: string;
let organizationId: string;

beforeAll(async () => {
  api = await startTestApi();
  ({ key, organizationId } = await api.createOrganization('pro'));
});
beforeEach(async () => void (await api.db.deleteFrom('edges').execute()));
afterAll(() => api.close());

let count = 0;

async function openSite(slug = `previewed-${(count += 1)}`) {
  const { body: project } = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'Docs', slug } });
  const path = `/v1/projects/${project.id}`;
  const hostOf = (channel: string) => `${channel}--${slug}.pets.localhost`;
  const deploy = async <Body = Deployment>(content: string, channel?: string, headers = {}) =>
    api.request<Body>('POST', `${path}/deployments${channel === undefined ? '' : `?channel=${channel}`}`, {
      key,
      body: makeBundle([{ path: 'index.html', content }]),
      headers: { 'content-type': 'application/gzip', ...headers },
    });
  return {
    project,
    path,
    hostOf,
    deploy,
    deployed: async (content: string, channel?: string) => (await deploy(content, channel)).body,
    deployments: async () => (await api.request<Deployment[]>('GET', `${path}/deployments`, { key })).body,
    put: <Body = Channel>(name: string, body: object = {}) =>
      api.request<Body>('PUT', `${path}/channels/${name}`, { key, body }),
    get: <Body = Channel>(name: string) => api.request<Body>('GET', `${path}/channels/${name}`, { key }),
    remove: <Body = ApiError>(name: string) => api.request<Body>('DELETE', `${path}/channels/${name}`, { key }),
    list: async () => (await api.request<Channel[]>('GET', `${path}/channels`, { key })).body,
    /** Content that the hosts of the project and of some channels serve, by their own words. */
    served: async (...channels: string[]) => {
      const hosts = [`${slug}.pets.localhost`, ...channels.map(hostOf)];
      return Promise.all(hosts.map(contentOf));
    },
  };
}

const admin = (line: string) => runAdminCommand(line.split(' '), api.db, adminConfig);

async function routeOf(host: string): Promise<EdgeRoute | undefined> {
  const { rows } = await sql<{ route: EdgeRoute | null }>`
    select route from edge_routes where host = ${host}`.execute(api.db);
  return rows[0]?.route ?? undefined;
}

async function contentOf(host: string): Promise<string | undefined> {
  const { serve } = (await routeOf(host)) ?? {};
  return serve?.kind === 'site' ? serve.contentHash : serve?.kind;
}

/** The name of the index of a deployment. */
async function indexOf({ id }: Pick<Deployment, 'id'>): Promise<string> {
  const row = await api.db
    .selectFrom('deployments')
    .select('content_hash')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.content_hash;
}

async function versionsOf(work: () => Promise<unknown>): Promise<number> {
  const version = async () =>
    Number((await api.db.selectFrom('edge_feed').select('version').executeTakeFirstOrThrow()).version);
  const before = await version();
  await work();
  return (await version()) - before;
}

describe('a deployment to a channel', () => {
  it('is served there and nowhere else', async () => {
    const site = await openSite();
    const [live, preview] = [await site.deployed('live'), await site.deployed('preview', 'pr-12')];
    expect(preview).toMatchObject({ active: false, channels: ['pr-12'] });
    expect(await site.served('pr-12')).toEqual([await indexOf(live), await indexOf(preview)]);
    expect(await site.deployments()).toMatchObject([
      { id: preview.id, active: false, channels: ['pr-12'] },
      { id: live.id, active: true, channels: [] },
    ]);
    const { body } = await site.get('pr-12');
    const { createdAt, updatedAt, expiresAt, ...channel } = body;
    expect(channel).toEqual({
      name: 'pr-12',
      projectId: site.project.id,
      deploymentId: preview.id,
      url: `https://${site.hostOf('pr-12')}`,
      access: 'public',
      domains: [],
    });
    expect(createdAt).toBe(updatedAt);
    expect(Date.parse(expiresAt ?? '') - Date.parse(updatedAt)).toBe(30 * DAY_MS);
    expect(await routeOf(site.hostOf('pr-12'))).toMatchObject({ certificateId: 'platform', noindex: true });
    expect(await routeOf(new URL(site.project.platformUrl).hostname)).not.toHaveProperty('noindex');
  });

  it('needs no active one', async () => {
    const site = await openSite();
    const preview = await site.deployed('preview', 'first');
    expect(await site.served('first')).toEqual([undefined, await indexOf(preview)]);
    expect(await site.deployments()).toMatchObject([{ active: false }]);
  });

  it('replaces the one before, which can be put back, and each is one version of the feed', async () => {
    const site = await openSite();
    await site.deployed('live');
    const first = await site.deployed('one', 'beta');
    let second = first;
    expect(await versionsOf(async () => void (second = await site.deployed('two', 'beta')))).toBe(1);
    expect(await site.served('beta')).toEqual([expect.anything(), await indexOf(second)]);
    expect(await versionsOf(() => site.put('beta', { deploymentId: first.id }))).toBe(1);
    expect(await site.served('beta')).toEqual([expect.anything(), await indexOf(first)]);
  });

  it('becomes the active one in one version, and stays on its channel', async () => {
    const site = await openSite();
    await site.deployed('live');
    const preview = await site.deployed('preview', 'beta');
    const activate = () => api.request('POST', `${site.path}/deployments/${preview.id}/activate`, { key });
    expect(await versionsOf(activate)).toBe(1);
    expect(await site.served('beta')).toEqual([await indexOf(preview), await indexOf(preview)]);
    expect(await site.deployments()).toMatchObject([{ active: true, channels: ['beta'] }, { active: false }]);
    // The next one of the channel does not take its place.
    await site.deployed('next', 'beta');
    expect(await site.served()).toEqual([await indexOf(preview)]);
  });

  it('is another request than the same files for another channel', async () => {
    const site = await openSite();
    const once = { 'idempotency-key': `once-${site.project.id}` };
    const first = await site.deploy('same', 'one-1', once);
    expect((await site.deploy('same', 'one-1', once)).body).toEqual(first.body);
    expect((await site.deploy<ApiError>('same', 'two-2', once)).body.code).toBe('idempotency_key_reused');
  });
});

describe('a channel', () => {
  it.each([
    ['ab', 'must have'],
    ['a'.repeat(41), 'must have'],
    ['Abc', 'lower-case'],
    ['a--b', 'hyphens'],
    ['-ab', 'hyphens'],
    ['ab-', 'hyphens'],
    ['a.b', 'lower-case'],
  ])('cannot have the name %s', async (name) => {
    const site = await openSite();
    expect(await site.deploy<ApiError>('x', name)).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    expect(await site.put<ApiError>(name)).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
  });

  it('cannot have a label that is too long for DNS, or that is reserved', async () => {
    const long = await openSite('s'.repeat(40));
    const refused = await long.deploy<ApiError>('x', 'c'.repeat(22));
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    expect(refused.body.message).toContain('64 characters; DNS allows 63');
    expect((await long.deploy('x', 'c'.repeat(21))).status).toBe(201);
    const short = await openSite('in');
    expect((await short.deploy<ApiError>('x', 'sign')).body.code).toBe('name_reserved');
    expect(await long.list()).toHaveLength(1);
  });

  it('is renewed without a deployment, and exists before that', async () => {
    const site = await openSite();
    expect(await site.put<ApiError>('beta')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const deployment = await site.deployed('live');
    const created = await site.put('beta', { deploymentId: deployment.id });
    expect([created.status, created.body.deploymentId]).toEqual([201, deployment.id]);
    await sql`update channels set ends_at = now() + interval '1 day' where project_id = ${site.project.id}`.execute(
      api.db,
    );
    expect(await versionsOf(() => site.put('beta'))).toBe(0);
    const { body } = await site.get('beta');
    expect(body.deploymentId).toBe(deployment.id);
    expect(Date.parse(body.expiresAt ?? '')).toBeGreaterThan(Date.now() + 29 * DAY_MS);
  });

  it('serves only a kept deployment of its project', async () => {
    const [site, other] = [await openSite(), await openSite()];
    const foreign = await other.deployed('x');
    expect((await site.put<ApiError>('beta', { deploymentId: foreign.id })).body.code).toBe('not_found');
    const old = await site.deployed('old');
    await site.deployed('new');
    await api.request('DELETE', `${site.path}/deployments/${old.id}`, { key });
    expect((await site.put<ApiError>('beta', { deploymentId: old.id })).body.code).toBe('deployment_collected');
  });

  it('is one of as many as the organization may have in a project', async () => {
    const site = await openSite();
    const limit = (value: number) =>
      admin(`limits set --organization ${organizationId} --name channelsPerProject --value ${value}`);
    await limit(2);
    for (const name of ['one-1', 'two-2']) expect((await site.deploy('x', name)).status).toBe(201);
    const refused = await site.deploy<ApiError>('x', 'three');
    expect(refused).toMatchObject({ status: 403, body: { code: 'channel_limit_reached' } });
    expect((await site.deploy('y', 'two-2')).status).toBe(201);
    expect((await site.list()).map(({ name }) => name)).toEqual(['one-1', 'two-2']);
    await limit(50);
  });

  it('is suspended with its project', async () => {
    const site = await openSite();
    await site.deployed('x', 'beta');
    await admin(`project suspend --project ${site.project.id} --reason phishing`);
    expect(await site.served('beta')).toEqual([undefined, 'suspended']);
    expect((await site.remove('beta')).body.code).toBe('suspended');
    await admin(`project resume --project ${site.project.id}`);
    expect(await site.served('beta')).toEqual([undefined, expect.stringMatching(/^[0-9a-f]/)]);
  });

  it('is explained as any address, and has the settings of its project', async () => {
    const site = await openSite();
    await site.deployed('x', 'beta');
    await api.request('PATCH', site.path, { key, body: { hsts: { maxAge: 300 }, trailingSlash: 'always' } });
    expect(await routeOf(site.hostOf('beta'))).toMatchObject({
      hsts: 'max-age=300',
      serve: { trailingSlash: 'always', since: expect.any(Number) },
    });
    const url = encodeURIComponent(`http://${site.hostOf('beta')}/`);
    const { body } = await api.request<Explanation>('GET', `${site.path}/explain?url=${url}`, { key });
    expect(body.hops).toMatchObject([
      { status: 308, reason: 'https' },
      { status: 200, reason: 'file', file: 'index.html' },
    ]);
  });

  it('belongs to nobody else', async () => {
    const site = await openSite();
    await site.deployed('x', 'beta');
    const { key: stranger } = await api.createOrganization('pro');
    for (const [method, path] of [
      ['GET', `${site.path}/channels`],
      ['GET', `${site.path}/channels/beta`],
      ['DELETE', `${site.path}/channels/beta`],
    ] as const)
      expect((await api.request(method, path, { key: stranger })).status).toBe(404);
    const put = await api.request('PUT', `${site.path}/channels/beta`, { key: stranger, body: {} });
    expect(put.status).toBe(404);
  });
});

describe('the end of a channel', () => {
  it('is answered when every edge has stopped serving it', async () => {
    const site = await openSite();
    await site.deployed('x', 'beta');
    await acknowledge(api, api.url, 'edge-one');
    const pending = await site.remove<RemovedChannel>('beta');
    expect(pending).toMatchObject({ status: 202, body: { name: 'beta', projectId: site.project.id, pendingEdges: 1 } });
    expect((await site.get<ApiError>('beta')).status).toBe(404);
    expect((await site.remove('beta')).status).toBe(202);
    await acknowledge(api, api.url, 'edge-one');
    expect((await site.remove('beta')).status).toBe(204);
    expect((await site.remove('never-there')).status).toBe(404);
    expect(await routeOf(site.hostOf('beta'))).toBeUndefined();
  });

  it('comes after its time, and leaves its deployment', async () => {
    const site = await openSite();
    const preview = await site.deployed('x', 'beta');
    await site.deployed('y', 'stays');
    await sql`update channels set ends_at = now() - interval '1 second' where project_id = ${site.project.id} and name = 'beta'`.execute(
      api.db,
    );
    expect(await versionsOf(() => api.service(ChannelsSweeper).sweep())).toBe(1);
    expect((await site.list()).map(({ name }) => name)).toEqual(['stays']);
    expect(await routeOf(site.hostOf('beta'))).toBeUndefined();
    expect((await site.put('again', { deploymentId: preview.id })).status).toBe(201);
    const { rows } = await sql<{ type: string; actor_kind: string }>`
      select type, actor_kind from audit_events where subject_kind = 'channel' and detail ->> 'name' = 'beta'
        and detail ->> 'projectId' = ${site.project.id} order by number`.execute(api.db);
    expect(rows).toEqual([
      { type: 'channel.created', actor_kind: 'api_key' },
      { type: 'channel.removed', actor_kind: 'system' },
    ]);
  });
});

describe('deployments of channels', () => {
  it('are kept while a channel serves them, and as many that none serves as of the active ones', async () => {
    const site = await openSite();
    const keep = (value: number) =>
      admin(`limits set --organization ${organizationId} --name keptDeployments --value ${value}`);
    await keep(2);
    const ids: string[] = [];
    for (const content of ['a', 'b', 'c', 'd']) ids.push((await site.deployed(content, 'beta')).id);
    const other = await site.deployed('other', 'other');
    for (const content of ['p', 'q', 'r']) await site.deployed(content);
    const kept = (await site.deployments()).filter(({ state }) => state === 'ready').map(({ id }) => id);
    expect(kept).toEqual(expect.arrayContaining([other.id, ...ids.slice(1)]));
    expect(kept).toHaveLength(6);
    const refused = await api.request('DELETE', `${site.path}/deployments/${other.id}`, { key });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const { body } = await api.request<Organization>('GET', '/v1/organization', { key });
    expect(body.limits.channelsPerProject).toBe(50);
    await keep(20);
  });
});
