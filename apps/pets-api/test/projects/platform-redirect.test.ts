import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLATFORM_CERTIFICATE, type EdgeRoute, type Project } from '@pets/contracts';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { withoutSince } from '../edge/feed-steps.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { attemptOf } from '../scripted-worker.js';

let fixture: DomainFixture;
let platformHost: string;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  platformHost = new URL((await project()).platformUrl).hostname;
});
afterAll(() => fixture.close());

const project = async () =>
  (await fixture.api.request<Project>('GET', `/v1/projects/${fixture.projectId}`, { key: fixture.key })).body;
const put = (body: unknown) =>
  fixture.api.request('PUT', `/v1/projects/${fixture.projectId}/domain-config`, { key: fixture.key, body });
const stored = async () =>
  (await fixture.api.request('GET', `/v1/projects/${fixture.projectId}/domain-config`, { key: fixture.key })).body;
const redirect = (from: string, to: string, status = 301) => ({ from, to, status });

const admin = (line: string) => runAdminCommand(line.split(' '), fixture.api.db, adminConfig);

async function routeOf(host: string): Promise<EdgeRoute | null | undefined> {
  const { rows } = await sql<{ route: EdgeRoute | null }>`
    select route from edge_routes where host = ${host}`.execute(fixture.api.db);
  return rows[0]?.route;
}

const served = async (host: string) => {
  const route = await routeOf(host);
  return route && withoutSince(route).serve;
};

async function addLive(): Promise<{ id: string; name: string }> {
  const { id, name, issue } = await fixture.verified();
  await fixture.sign(issue, name);
  const probe = await fixture.worker.nextJob('probe-edge', id);
  await fixture.api.messaging.events.emit('certificate.served', { ...attemptOf(probe), leafSha256: probe.leafSha256 });
  await fixture.untilState(id, 'live');
  return { id, name };
}

describe('the platform’s own host', () => {
  it('serves the site, and is the address of the project, until it is to redirect', async () => {
    const { name } = await addLive();
    expect((await put({ domains: { redirects: [redirect(name, platformHost)] } })).status).toBe(200);
    expect([await served(platformHost), await served(name)]).toEqual([
      { kind: 'site', contentHash: expect.any(String) },
      { kind: 'redirect', to: platformHost, status: 301 },
    ]);
    const { url, platformUrl } = await project();
    expect([url, platformUrl]).toEqual([`https://${platformHost}`, `https://${platformHost}`]);
  });

  it('redirects to the primary domain, which is the address of the project', async () => {
    const { name } = await addLive();
    const body = { domains: { primary: name.toUpperCase(), redirects: [] }, platformRedirect: true };
    expect((await put(body)).body).toEqual(body);
    expect(await stored()).toEqual(body);
    expect(await served(platformHost)).toEqual({ kind: 'redirect', to: name, status: 308 });
    const { rows } = await sql<{
      route: EdgeRoute;
    }>`select route from edge_routes where host = ${platformHost}`.execute(fixture.api.db);
    expect(rows[0]?.route).toMatchObject({ answersChallenges: false, certificateId: PLATFORM_CERTIFICATE });
    expect(await project()).toMatchObject({ url: `https://${name}`, platformUrl: `https://${platformHost}` });
    const list = await fixture.api.request<Project[]>('GET', '/v1/projects', { key: fixture.key });
    expect(list.body).toContainEqual(expect.objectContaining({ id: fixture.projectId, url: `https://${name}` }));
  });

  it('keeps sending Strict-Transport-Security for itself alone while it redirects', async () => {
    const { name } = await addLive();
    await put({ domains: { primary: name, redirects: [] }, platformRedirect: true });
    const path = `/v1/projects/${fixture.projectId}`;
    const hsts = { maxAge: 300, includeSubDomains: true, preload: false };
    expect((await fixture.api.request('PATCH', path, { key: fixture.key, body: { hsts } })).status).toBe(200);
    const { rows } = await sql<{
      route: EdgeRoute;
    }>`select route from edge_routes where host = ${platformHost}`.execute(fixture.api.db);
    expect(rows[0]?.route).toMatchObject({ serve: { kind: 'redirect', to: name }, hsts: 'max-age=300' });
    await fixture.api.request('PATCH', path, { key: fixture.key, body: { hsts: null } });
  });

  it('serves the site while the primary domain has no certificate, and redirects as soon as it has one', async () => {
    const { id, name, issue } = await fixture.verified();
    await put({ domains: { primary: name, redirects: [] }, platformRedirect: true });
    expect(await served(platformHost)).toMatchObject({ kind: 'site' });
    expect((await project()).url).toBe(`https://${platformHost}`);
    await fixture.sign(issue, name);
    const probe = await fixture.worker.nextJob('probe-edge', id);
    expect(await served(platformHost)).toEqual({ kind: 'redirect', to: name, status: 308 });
    // No edge has shown the certificate yet.
    expect((await project()).url).toBe(`https://${platformHost}`);
    await fixture.api.messaging.events.emit('certificate.served', {
      ...attemptOf(probe),
      leafSha256: probe.leafSha256,
    });
    await fixture.untilState(id, 'live');
    expect((await project()).url).toBe(`https://${name}`);
  });

  it('follows the redirect of the primary domain, in one hop', async () => {
    const [a, b] = [await addLive(), await addLive()];
    await put({ domains: { primary: a.name, redirects: [redirect(a.name, b.name, 302)] }, platformRedirect: true });
    expect(await served(platformHost)).toEqual({ kind: 'redirect', to: b.name, status: 302 });
  });

  it('is passed through by redirects that lead to it', async () => {
    const [a, b] = [await addLive(), await addLive()];
    await put({ domains: { primary: a.name, redirects: [redirect(b.name, platformHost)] }, platformRedirect: true });
    expect(await served(b.name)).toEqual({ kind: 'redirect', to: a.name, status: 301 });
  });

  it('serves the site again when the primary domain is removed', async () => {
    const [a, b] = [await addLive(), await addLive()];
    await put({ domains: { primary: a.name, redirects: [redirect(b.name, platformHost)] }, platformRedirect: true });
    const path = `/v1/projects/${fixture.projectId}/domains/${a.id}`;
    await fixture.api.request('DELETE', path, { key: fixture.key });
    expect(await served(platformHost)).toMatchObject({ kind: 'site' });
    expect(await stored()).toEqual({ domains: { redirects: [redirect(b.name, platformHost)] } });
    expect((await project()).url).toBe(`https://${platformHost}`);
  });

  it('serves the site while the primary domain is suspended', async () => {
    const { name } = await addLive();
    await put({ domains: { primary: name, redirects: [] }, platformRedirect: true });
    await admin(`domain suspend --domain ${name} --reason test --wait-seconds 0`);
    expect([await served(name), await served(platformHost)]).toMatchObject([{ kind: 'suspended' }, { kind: 'site' }]);
    expect((await project()).url).toBe(`https://${platformHost}`);
    await admin(`domain resume --domain ${name} --wait-seconds 0`);
    expect(await served(platformHost)).toEqual({ kind: 'redirect', to: name, status: 308 });
    expect((await project()).url).toBe(`https://${name}`);
  });

  it('keeps its redirect when another domain is removed or a pair is added', async () => {
    const [a, b] = [await addLive(), await addLive()];
    await put({ domains: { primary: a.name, redirects: [redirect(b.name, a.name)] }, platformRedirect: true });
    await fixture.api.request('DELETE', `/v1/projects/${fixture.projectId}/domains/${b.id}`, { key: fixture.key });
    const paired = { name: `www.pair-${a.id.slice(0, 8)}.com`, pair: true };
    expect((await fixture.api.request('POST', fixture.path(), { key: fixture.key, body: paired })).status).toBe(201);
    expect(await stored()).toMatchObject({ domains: { primary: a.name }, platformRedirect: true });
    expect(await served(platformHost)).toEqual({ kind: 'redirect', to: a.name, status: 308 });
  });
});

describe('a configuration', () => {
  it('in which the primary domain leads back to the platform’s host is refused as a cycle', async () => {
    const { name } = await addLive();
    const domains = { primary: name, redirects: [redirect(name, platformHost.toUpperCase())] };
    const refused = await put({ domains, platformRedirect: true });
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('redirect_cycle');
    expect(refused.body.message).toContain(`${name} → ${platformHost} → ${name}`);
    expect((await put({ domains, platformRedirect: false })).status).toBe(200);
  });

  it('in which it leads there by a detour is refused as well', async () => {
    const [a, b] = [await addLive(), await addLive()];
    const redirects = [redirect(a.name, b.name), redirect(b.name, platformHost)];
    const refused = await put({ domains: { primary: a.name, redirects }, platformRedirect: true });
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('redirect_cycle');
  });

  it.each([
    ['without a primary domain', { domains: { redirects: [] }, platformRedirect: true }, 'platformRedirect: requires'],
    [
      'with another type',
      { domains: { redirects: [] }, platformRedirect: 'yes' },
      'platformRedirect: must be true or false',
    ],
  ])('that wants the redirect %s is refused', async (_name, body, message) => {
    const refused = await put(body);
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('invalid_parameter');
    expect(refused.body.message).toContain(message);
  });

  it('cannot have a redirect from the platform’s host, or to that of another project', async () => {
    const { name } = await addLive();
    const other = await fixture.createProject(fixture.key, true);
    const { platformUrl } = (await fixture.api.request<Project>('GET', `/v1/projects/${other}`, { key: fixture.key }))
      .body;
    const redirects = [redirect(platformHost, name), redirect(name, new URL(platformUrl).hostname)];
    const refused = await put({ domains: { redirects } });
    expect(refused.body.errors?.map(({ field }) => field)).toEqual([
      'domains.redirects.0.from',
      'domains.redirects.1.to',
    ]);
  });
});
