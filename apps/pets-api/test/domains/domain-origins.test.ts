import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  originHeadersBinding,
  originRow,
  type ApiError,
  type Domain,
  type EdgeRoute,
  type Origin,
  type Project,
} from '@pets/contracts';
import { parseKeyRing, unseal } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { makeBundle } from '../projects/bundles.js';
import { originSteps } from '../projects/origin-steps.js';
import { matchingFindings, provenFindings } from '../scripted-worker.js';
import { addLive, freshBase, pointing } from './wildcard-steps.js';

const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);
const body = { url: 'https://own.example.net', headers: { 'X-Secret': 's3cret' } };

let fixture: DomainFixture;
let origins: ReturnType<typeof originSteps>;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DNS_ZONE: 'acme.pets.localhost' });
  origins = originSteps(fixture.api);
});
afterAll(() => fixture.close());

const ask = <Body = ApiError>(owner: Tenant, method: string, path: string, sent?: object) =>
  fixture.api.request<Body>(method, path, { key: owner.key, ...(sent !== undefined && { body: sent }) });
const pathOf = ({ projectId }: Tenant, domain: string) => `${fixture.path(projectId)}/${encodeURIComponent(domain)}`;
const put = async (owner: Tenant, domain: string, sent: object = body) =>
  (await ask<Origin>(owner, 'PUT', `${pathOf(owner, domain)}/origin`, sent)).body;
const read = (owner: Tenant, domain: string) => ask<Origin>(owner, 'GET', `${pathOf(owner, domain)}/origin`);
const admin = (line: string) =>
  runAdminCommand([...line.split(' '), '--wait-seconds', '0'], fixture.api.db, adminConfig);

async function routeOf(host: string): Promise<EdgeRoute | null> {
  const rows = await fixture.api.db.selectFrom('edge_routes').select('route').where('host', '=', host).execute();
  return rows[0]?.route ?? null;
}
const servedAt = async (host: string) => {
  const { serve } = (await routeOf(host)) ?? {};
  return serve?.kind === 'application' ? serve.origin : serve?.kind;
};

/** The entries of the feed that some work publishes. */
async function published(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { rows } = await sql<{ version: string }>`select version from edge_feed`.execute(fixture.api.db);
  await work();
  const changed = await sql<{ host: string }>`
    select host from edge_routes where version > ${rows[0]?.version} order by host`.execute(fixture.api.db);
  return changed.rows.map(({ host }) => host);
}

/** A tenant with two live domains. */
async function served() {
  const owner = await fixture.tenant();
  const name = fixture.freshName();
  const { id } = await addLive(fixture, owner, name, matchingFindings);
  return { owner, name, id };
}

/** The origin of its own, by the representation of the domain. */
const shownAt = async (owner: Tenant, domain: string) =>
  (await ask<Domain>(owner, 'GET', pathOf(owner, domain))).body.originId;

async function passed(owner: Tenant, domain: string): Promise<Origin> {
  const origin = await put(owner, domain);
  await origins.report(origin, 200);
  await waitUntil(async () => (await read(owner, domain)).body.state === 'serving');
  return origin;
}

describe('an origin of a domain', () => {
  it('answers for it alone once its test has passed, until it is removed', async () => {
    const { owner, name, id } = await served();
    const other = fixture.freshName();
    await addLive(fixture, owner, other, matchingFindings);
    let origin: Origin | undefined;
    expect(await published(async () => void (origin = await put(owner, name)))).toEqual([originRow(origin?.id ?? '')]);
    expect(origin).toMatchObject({ domainId: id, projectId: owner.projectId, state: 'testing', headers: ['x-secret'] });
    expect((await read(owner, id)).body).toEqual(origin);
    expect((await ask(owner, 'GET', `/v1/projects/${owner.projectId}/origin`)).status).toBe(404);
    const { id: originId = '' } = origin ?? {};
    expect([await shownAt(owner, name), await shownAt(owner, other)]).toEqual([originId, null]);
    const listed = await ask<Domain[]>(owner, 'GET', fixture.path(owner.projectId));
    expect(new Map(listed.body.map((each) => [each.name, each.originId]))).toEqual(
      new Map([
        [name, originId],
        [other, null],
      ]),
    );
    await origins.report({ id: originId }, 503);
    await waitUntil(async () => (await read(owner, name)).body.state === 'failed');
    expect(await servedAt(name)).toBe('site');

    const begins = async () => {
      await origins.report({ id: originId }, 204);
      await waitUntil(async () => (await read(owner, name)).body.state === 'serving');
    };
    expect(await published(begins)).toEqual([name]);
    expect((await routeOf(name))?.serve).toEqual({ kind: 'application', origin: originId, domainId: id });
    expect(await servedAt(other)).toBe('site');

    const change = () => put(owner, name, { url: 'https://new.example.net' });
    expect(await published(change)).toEqual([originRow(originId)]);
    // What the application asks for is in the route of the domain.
    await ask(owner, 'PATCH', pathOf(owner, name), { metadata: { tier: 'gold' } });
    expect(await published(() => put(owner, name, { ...body, metadata: ['tier'] }))).toEqual(
      [name, originRow(originId)].toSorted(),
    );
    expect((await routeOf(name))?.serve).toMatchObject({ metadata: '{"tier":"gold"}' });

    const remove = () => ask(owner, 'DELETE', `${pathOf(owner, name)}/origin`);
    expect(await published(remove)).toEqual([name, originRow(originId)].toSorted());
    expect([await servedAt(name), await routeOf(originRow(originId))]).toEqual(['site', null]);
    expect((await remove()).status).toBe(404);
    expect(await shownAt(owner, name)).toBeNull();
  });

  it('is announced with the domain when it is set and removed, not when it changes', async () => {
    const { owner, name, id } = await served();
    const announced = async () => {
      const { rows } = await sql<{ number: string }>`
        select number from domain_changes where domain_id = ${id}`.execute(fixture.api.db);
      return Number(rows[0]?.number ?? 0);
    };
    const numbers = [await announced()];
    for (const url of ['https://own.example.net', 'https://new.example.net']) {
      await put(owner, name, { url });
      numbers.push(await announced());
    }
    await ask(owner, 'DELETE', `${pathOf(owner, name)}/origin`);
    numbers.push(await announced());
    const [before, set, changed, removed] = numbers;
    expect(set).toBeGreaterThan(before ?? 0);
    expect(changed).toBe(set);
    expect(removed).toBeGreaterThan(set ?? 0);
  });

  it('comes before the channel of the domain and the origin of the project', async () => {
    const { owner, name } = await served();
    const project = `/v1/projects/${owner.projectId}`;
    const bundle = makeBundle([{ path: 'index.html', content: 'beta' }]);
    await fixture.api.request('POST', `${project}/deployments?channel=beta`, {
      ...{ key: owner.key, body: bundle, headers: { 'content-type': 'application/gzip' } },
    });
    const shared = (await ask<Origin>(owner, 'PUT', `${project}/origin`, { url: 'https://shared.example.net' })).body;
    await origins.report(shared, 200);
    await waitUntil(async () => (await servedAt(name)) === shared.id);
    const own = await passed(owner, name);
    expect(await servedAt(name)).toBe(own.id);
    await ask(owner, 'PATCH', pathOf(owner, name), { channel: 'beta' });
    expect(await servedAt(name)).toBe(own.id);
    await ask(owner, 'DELETE', `${pathOf(owner, name)}/origin`);
    expect(await servedAt(name)).toBe('site');
    await ask(owner, 'PATCH', pathOf(owner, name), { channel: null });
    expect(await servedAt(name)).toBe(shared.id);
  });

  it('comes after a redirect of the domain, and answers for the other name of a pair', async () => {
    const { owner, name } = await served();
    const alias = fixture.freshName();
    await addLive(fixture, owner, alias, matchingFindings);
    const config = { domains: { primary: name, redirects: [{ from: alias, to: name, status: 301 }] } };
    await ask(owner, 'PUT', `/v1/projects/${owner.projectId}/domain-config`, config);
    const own = await passed(owner, name);
    await passed(owner, alias);
    expect([await servedAt(name), await servedAt(alias)]).toEqual([own.id, 'redirect']);
  });

  it('of a wildcard answers for the names below it that have no route of their own', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    await addLive(fixture, owner, `*.${base}`);
    const own = await passed(owner, `*.${base}`);
    expect(await servedAt(`*.${base}`)).toBe(own.id);
    const below = await owner.add(`a.${base}`);
    await fixture.check(below.id, pointing);
    await owner.untilState(below.id, 'verified');
    expect(await routeOf(`a.${base}`)).toMatchObject({ serve: null, wildcardUntilCertified: true });
    await fixture.issue(below.id, `a.${base}`);
    await waitUntil(async () => (await servedAt(`a.${base}`)) === 'site');
  });

  it('is tested before the domain points here, and ends with it', async () => {
    const owner = await fixture.tenant();
    const { id, name } = await owner.add(fixture.freshName());
    const own = await passed(owner, id);
    expect([await routeOf(name), (await routeOf(originRow(own.id)))?.serve?.kind]).toEqual([null, 'origin']);
    expect(await published(() => owner.remove(id))).toEqual([originRow(own.id)]);
    expect((await read(owner, id)).status).toBe(404);
    expect(await shownAt(owner, id)).toBeNull();
    expect((await ask(owner, 'PUT', `${pathOf(owner, id)}/origin`, body)).body.code).toBe('not_found');
  });

  it('ends in the same version of the feed as the removed domain', async () => {
    const { owner, name, id } = await served();
    const own = await passed(owner, name);
    expect(await published(async () => expect((await owner.remove(id)).status).toBe(204))).toEqual(
      [name, originRow(own.id)].toSorted(),
    );
    const versions = await fixture.api.db
      .selectFrom('edge_routes')
      .select(['version', 'route'])
      .where('host', 'in', [name, originRow(own.id)])
      .execute();
    expect(versions.map(({ route }) => route)).toEqual([null, null]);
    expect(new Set(versions.map(({ version }) => version)).size).toBe(1);
    // The name begins again without it.
    const again = await owner.add(name);
    expect((await read(owner, again.id)).status).toBe(404);
  });

  it('is not taken over by another organization that gets the name', async () => {
    const { owner: former, name } = await served();
    const own = await passed(former, name);
    const next = await fixture.tenant();
    const ours = await next.add(name);
    await fixture.check(ours.id, (expected) => provenFindings(expected, ours.ownership.record?.value ?? ''));
    await next.untilState(ours.id, 'verified');
    expect(await routeOf(originRow(own.id))).toBeNull();
    expect((await read(next, name)).status).toBe(404);
    await fixture.issue(ours.id, name);
    await waitUntil(async () => (await servedAt(name)) === 'site');
    const { rows } = await sql`select from origins where id = ${own.id}`.execute(fixture.api.db);
    expect(rows).toEqual([]);
  });

  it('goes along to another project, which needs no content of its own then', async () => {
    const { owner, name, id } = await served();
    const target = { ...owner, projectId: await fixture.createProject(owner.key, false) };
    const move = () => ask(owner, 'POST', `${pathOf(owner, id)}/move`, { projectId: target.projectId });
    expect((await move()).body.code).toBe('deployment_required');
    const own = await passed(owner, name);
    expect(await published(async () => expect((await move()).status).toBe(200))).toEqual(
      [name, originRow(own.id)].toSorted(),
    );
    expect((await read(target, name)).body).toMatchObject({ id: own.id, projectId: target.projectId, domainId: id });
    expect(await servedAt(name)).toBe(own.id);
    const serve = (await routeOf(originRow(own.id)))?.serve;
    if (serve?.kind !== 'origin') throw new Error('the row of the origin is gone');
    expect(serve.projectId).toBe(target.projectId);
    expect(JSON.parse(unseal(ring, serve.sealedHeaders ?? '', originHeadersBinding(own.id)))).toEqual({
      'x-secret': 's3cret',
    });
    // It belongs to its new project: neither the project nor a domain of the former one changes it.
    expect(await published(() => put(target, name, { url: 'https://moved.example.net' }))).toEqual([originRow(own.id)]);
    expect((await read(owner, name)).status).toBe(404);
  });

  it('ends where the name is excluded from a wildcard', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const name = `a.${base}`;
    await addLive(fixture, owner, `*.${base}`);
    const wildcard = await passed(owner, `*.${base}`);
    await addLive(fixture, owner, name, matchingFindings);
    const own = await passed(owner, name);
    expect((await ask(owner, 'DELETE', `${pathOf(owner, name)}?exclude=true`)).status).toBe(204);
    expect([await servedAt(name), await routeOf(originRow(own.id))]).toEqual(['excluded', null]);
    expect(await servedAt(`*.${base}`)).toBe(wildcard.id);
  });

  it('stays as it is while the domain is suspended', async () => {
    const { owner, name } = await served();
    const own = await passed(owner, name);
    await admin(`domain suspend --domain ${name} --reason phishing`);
    expect(await servedAt(name)).toBe('suspended');
    const path = `${pathOf(owner, name)}/origin`;
    for (const refused of [
      await ask(owner, 'PUT', path, body),
      await ask(owner, 'POST', `${path}/test`),
      await ask(owner, 'DELETE', path),
    ])
      expect(refused).toMatchObject({ status: 403, body: { code: 'suspended' } });
    expect((await read(owner, name)).body).toMatchObject({ id: own.id, state: 'serving' });
    await admin(`domain resume --domain ${name}`);
    expect(await servedAt(name)).toBe(own.id);
  });

  it('is one of as many as the plan allows', async () => {
    const { owner, name } = await served();
    const other = await owner.add(fixture.freshName());
    await sql`insert into organization_limits (organization_id, name, value)
      select organization_id, 'origins', 1 from projects where id = ${owner.projectId}`.execute(fixture.api.db);
    await put(owner, name);
    const refused = [pathOf(owner, other.id), `/v1/projects/${owner.projectId}`].map((path) =>
      ask(owner, 'PUT', `${path}/origin`, body),
    );
    for (const { status, body: error } of await Promise.all(refused))
      expect([status, error.code]).toEqual([403, 'origin_limit_reached']);
    expect((await put(owner, name, { url: 'https://other.example.net' })).url).toBe('https://other.example.net');
    const { body: organization } = await ask<{ usage: object }>(owner, 'GET', '/v1/organization');
    expect(organization.usage).toMatchObject({ origins: 1 });
  });

  it('limits the metadata of its domain to what it can be told', async () => {
    const { owner, name } = await served();
    await put(owner, name, { ...body, metadata: ['a', 'b'] });
    const change = (metadata: object) => ask(owner, 'PATCH', pathOf(owner, name), { metadata });
    const refused = await change({ a: 'x'.repeat(512), b: 'x'.repeat(512) });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
    expect((await change({ a: 'x'.repeat(512), c: 'x'.repeat(512) })).status).toBe(200);
  });

  it('is nobody else’s', async () => {
    const { owner, name } = await served();
    await passed(owner, name);
    const stranger = await fixture.tenant();
    expect((await read({ ...owner, key: stranger.key }, name)).status).toBe(404);
    expect((await ask({ ...owner, key: stranger.key }, 'PUT', `${pathOf(owner, name)}/origin`, body)).status).toBe(404);
    expect((await read({ ...stranger, key: owner.key }, name)).status).toBe(404);
  });
});

describe('an application of many domains', () => {
  const DOMAINS = 500;

  it('changes in one entry of the feed', async () => {
    const owner = await fixture.tenant();
    const path = `/v1/projects/${owner.projectId}`;
    const project = (await ask<Project>(owner, 'GET', path)).body;
    const label = fixture.freshName();
    await sql`
      with claims as (
        insert into domain_claims (organization_id, name, target_token, ownership_token)
        select organization_id, n || '.' || ${label}, n || '.' || ${label}, n || '.' || ${label}
        from projects p, generate_series(1, ${DOMAINS}::integer) n where p.id = ${owner.projectId}
      ), added as (
        insert into domains
          (organization_id, project_id, name, unicode_name, apex_name, state, generation_began_at, requested_at, verified_at)
        select p.organization_id, p.id, n || '.' || ${label}, n || '.' || ${label}, ${label}, 'live', now(), now(), now()
        from projects p, generate_series(1, ${DOMAINS}::integer) n where p.id = ${owner.projectId} returning *
      )
      insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url,
        account_thumbprint, csr_pem, sealed_key, issued_at, not_after)
      select 'ordered', id, organization_id, name, apex_name, 1, 1, 'issued', '', '', '', '', now(), now() + interval '90 days'
      from added`.execute(fixture.api.db);
    const shared = (await ask<Origin>(owner, 'PUT', `${path}/origin`, { url: 'https://app.example.net' })).body;
    const begins = async () => {
      await origins.report(shared, 200);
      await waitUntil(async () => (await servedAt(`${DOMAINS}.${label}`)) === shared.id);
    };
    // Every host names it from now on.
    expect(await published(begins)).toHaveLength(DOMAINS + 1);
    const own = await passed(owner, `7.${label}`);
    const change = (url: string) => ask<Origin>(owner, 'PUT', `${path}/origin`, { url });
    expect(await published(() => change('https://new.example.net'))).toEqual([originRow(shared.id)]);
    expect(await published(() => put(owner, `7.${label}`, { url: 'https://new.example.net' }))).toEqual([
      originRow(own.id),
    ]);
    // A deployment changes no host, since the application answers for all.
    const bundle = makeBundle([{ path: 'index.html', content: project.id }]);
    const deploy = () =>
      fixture.api.request<Domain>('POST', `${path}/deployments`, {
        ...{ key: owner.key, body: bundle, headers: { 'content-type': 'application/gzip' } },
      });
    expect(await published(deploy)).toEqual([]);
    // Without it, they get the deployment again, but the one that has its own.
    const removed = await published(() => ask(owner, 'DELETE', `${path}/origin`));
    expect(removed).toHaveLength(DOMAINS + 1);
    expect([await servedAt(`7.${label}`), await servedAt(`8.${label}`)]).toEqual([own.id, 'site']);
  });
});
