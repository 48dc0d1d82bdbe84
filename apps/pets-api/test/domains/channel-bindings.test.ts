import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Channel, Deployment, Domain, EdgeRoute, Project } from '@pets/contracts';
import { sql } from 'kysely';
import { ChannelsSweeper } from '../../src/projects/channels/channels.service.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { makeBundle } from '../projects/bundles.js';
import { attemptOf } from '../scripted-worker.js';

const DAY_MS = 86_400_000;

let fixture: DomainFixture;
let path: string;
let live: string;
let preview: string;
beforeAll(async () => {
  fixture = await shareDomainFixture();
  path = `/v1/projects/${fixture.projectId}`;
  [live, preview] = [await deploy('live'), await deploy('preview', 'staging')];
});
afterAll(() => fixture.close());

const request = <Body>(method: string, target: string, body?: unknown) =>
  fixture.api.request<Body>(method, target, { key: fixture.key, ...(body !== undefined && { body }) });

/** Uploads a page. @returns the name of its index */
async function deploy(content: string, channel?: string): Promise<string> {
  const { body } = await fixture.api.request<Deployment>(
    'POST',
    `${path}/deployments${channel === undefined ? '' : `?channel=${channel}`}`,
    {
      key: fixture.key,
      body: makeBundle([{ path: 'index.html', content }]),
      headers: { 'content-type': 'application/gzip' },
    },
  );
  const { rows } = await sql<{ hash: string }>`
    select content_hash as hash from deployments where id = ${body.id}`.execute(fixture.api.db);
  return rows[0]?.hash ?? '';
}

async function routeOf(host: string): Promise<EdgeRoute | undefined> {
  const { rows } = await sql<{ route: EdgeRoute | null }>`
    select route from edge_routes where host = ${host}`.execute(fixture.api.db);
  return rows[0]?.route ?? undefined;
}

async function contentOf(host: string): Promise<string | undefined> {
  const { serve } = (await routeOf(host)) ?? {};
  return serve?.kind === 'site' ? serve.contentHash : serve?.kind;
}

async function versionsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { rows } = await sql<{ version: string }>`select version from edge_feed`.execute(fixture.api.db);
  await work();
  const changed = await sql<{ host: string }>`
    select host from edge_routes where version > ${rows[0]?.version} order by host`.execute(fixture.api.db);
  return changed.rows.map(({ host }) => host);
}

async function addLive(): Promise<{ id: string; name: string }> {
  const { id, name, issue } = await fixture.verified();
  await fixture.sign(issue, name);
  const probe = await fixture.worker.nextJob('probe-edge', id);
  await fixture.api.messaging.events.emit('certificate.served', { ...attemptOf(probe), leafSha256: probe.leafSha256 });
  await fixture.untilState(id, 'live');
  return { id, name };
}

const bind = <Body = Domain>(name: string, channel: string | null) =>
  request<Body>('PATCH', `${path}/domains/${name}`, { channel });
const channelOf = async (name: string) => (await request<Channel>('GET', `${path}/channels/${name}`)).body;

describe('a domain that is bound to a channel', () => {
  it('serves it instead of the active deployment, and nothing else is published', async () => {
    const [{ name }, other] = [await addLive(), await addLive()];
    expect(await versionsOf(() => bind(name, 'staging'))).toEqual([name]);
    expect([await contentOf(name), await contentOf(other.name)]).toEqual([preview, live]);
    expect(await routeOf(name)).not.toHaveProperty('noindex');
    expect(await channelOf('staging')).toMatchObject({ domains: [name], expiresAt: null });
    expect(await fixture.get(name)).toMatchObject({ channel: 'staging' });

    const { body: project } = await request<Project>('GET', path);
    const channelHost = `staging--${project.slug}.pets.localhost`;
    expect(await versionsOf(async () => void (preview = await deploy('next', 'staging')))).toEqual(
      [name, channelHost].toSorted(),
    );
    expect(await versionsOf(async () => void (live = await deploy('live again')))).toEqual(
      [other.name, new URL(project.platformUrl).hostname].toSorted(),
    );

    expect(await versionsOf(() => bind(name, null))).toEqual([name]);
    expect(await contentOf(name)).toBe(live);
    expect(Date.parse((await channelOf('staging')).expiresAt ?? '')).toBeGreaterThan(Date.now() + 29 * DAY_MS);
  });

  it('is protected with it, by the same links', async () => {
    const { name } = await addLive();
    await deploy('guarded', 'guarded');
    await bind(name, 'guarded');
    const { url } = await channelOf('guarded');
    const hosts = [name, new URL(url).hostname];
    const keysOf = async () =>
      Promise.all(
        hosts.map(async (host) => {
          const { serve } = (await routeOf(host)) ?? {};
          return serve?.kind === 'site' ? serve.linkKey : serve?.kind;
        }),
      );
    const protect = () => request('PUT', `${path}/channels/guarded`, { access: 'link' });
    expect(await versionsOf(protect)).toEqual(hosts.toSorted());
    const [ofDomain, ofChannel] = await keysOf();
    expect(ofDomain).toMatch(/^[\w-]{43}$/);
    expect(ofChannel).toBe(ofDomain);
    expect(await versionsOf(() => request('DELETE', `${path}/channels/guarded/links`))).toEqual(hosts.toSorted());
    const [renewed, ofOther] = await keysOf();
    expect(renewed).not.toBe(ofDomain);
    expect(ofOther).toBe(renewed);
    await bind(name, null);
    expect(await keysOf()).toEqual([undefined, renewed]);
  });

  it('keeps the channel', async () => {
    const { name } = await addLive();
    await deploy('kept', 'kept');
    await bind(name, 'kept');
    const refused = await request<ApiError>('DELETE', `${path}/channels/kept`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(refused.body.message).toContain(name);
    await sql`update channels set ends_at = now() - interval '1 second' where name = 'kept'`.execute(fixture.api.db);
    await fixture.api.service(ChannelsSweeper).sweep();
    expect(await channelOf('kept')).toMatchObject({ expiresAt: null });
    await request('DELETE', `${path}/domains/${name}`);
    const { domains, expiresAt } = await channelOf('kept');
    expect([domains, expiresAt]).toEqual([[], expect.any(String)]);
    expect((await request('DELETE', `${path}/channels/kept`)).status).toBe(204);
  });

  it('still redirects, and is not what the address of the channel redirects to', async () => {
    const [{ name }, target] = [await addLive(), await addLive()];
    await bind(name, 'staging');
    const redirects = [{ from: name, to: target.name, status: 301 }];
    const config = { domains: { primary: target.name, redirects }, platformRedirect: true };
    expect((await request('PUT', `${path}/domain-config`, config)).status).toBe(200);
    const { body: project } = await request<Project>('GET', path);
    expect([await contentOf(name), await contentOf(`staging--${project.slug}.pets.localhost`)]).toEqual([
      'redirect',
      preview,
    ]);
    expect(await versionsOf(async () => void (preview = await deploy('third', 'staging')))).toEqual([
      `staging--${project.slug}.pets.localhost`,
    ]);
    await request('PUT', `${path}/domain-config`, { domains: { redirects: [] } });
    expect(await contentOf(name)).toBe(preview);
  });

  it('leaves it when it moves to another project', async () => {
    const { name } = await addLive();
    await deploy('left', 'left');
    await bind(name, 'left');
    const projectId = await fixture.createProject(fixture.key, true);
    expect((await request('POST', `${path}/domains/${name}/move`, { projectId })).status).toBe(200);
    const moved = await request<Domain>('GET', `/v1/projects/${projectId}/domains/${name}`);
    expect(moved.body.channel).toBeNull();
    expect(await channelOf('left')).toMatchObject({ domains: [], expiresAt: expect.any(String) });
    expect(await contentOf(name)).not.toBe(preview);
  });

  it('is bound to a channel of its project', async () => {
    const { name } = await fixture.add(fixture.freshName());
    const refused = await bind<ApiError>(name, 'nowhere');
    expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(refused.body.errors).toMatchObject([{ field: 'channel' }]);
    expect((await bind<ApiError>(name, 'No')).body.code).toBe('invalid_parameter');
  });
});
