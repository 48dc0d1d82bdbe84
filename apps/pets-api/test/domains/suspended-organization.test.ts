import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedSession, Deployment, Organization, Project } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { createSuspensionsService } from '../../src/operations/admin/suspension-commands.js';
import { site } from '../projects/bundles.js';
import type { DomainFixture } from '../domain-fixture.js';
import { servedRoutes } from '../edge/feed-steps.js';
import { adminConfig as config, shareOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
let domainFixture: DomainFixture;
beforeAll(async () => {
  fixture = await shareOperatorFixture();
  ({ domainFixture } = fixture);
});
afterAll(() => fixture.close());

const admin: OperatorFixture['admin'] = (line) => fixture.admin(line);
const routeOf: OperatorFixture['routeOf'] = (host) => fixture.routeOf(host);
const servedTenant = () => fixture.servedTenant();
const ask: OperatorFixture['ask'] = (...asked) => fixture.ask(...asked);

describe('a suspended project', () => {
  it('answers 410 at its platform host too, can be read, and not changed', async () => {
    const { owner, name } = await servedTenant();
    const path = `/v1/projects/${owner.projectId}`;
    const { slug } = (await ask<Project>(owner, 'GET', path)).body;
    await admin(`project suspend --project ${owner.projectId} --reason malware`);
    expect(await routeOf(name)).toMatchObject({ serve: { kind: 'suspended' } });
    expect(await routeOf(`${slug}.pets.localhost`)).toMatchObject({
      serve: { kind: 'suspended' },
      certificateId: 'platform',
    });
    expect((await ask<Project>(owner, 'GET', path)).body.suspensions).toMatchObject([
      { scope: 'project', reason: 'malware' },
    ]);
    const refused = { status: 403, body: { code: 'suspended' } };
    expect(await ask(owner, 'PATCH', path, { name: 'Other' })).toMatchObject(refused);
    expect(await ask(owner, 'POST', `${path}/domains`, { name: domainFixture.freshName() })).toMatchObject(refused);
    expect(await ask(owner, 'DELETE', `${path}/domains/${name}`)).toMatchObject(refused);
    const headers = { 'content-type': 'application/gzip' };
    const upload = await domainFixture.api.request('POST', `${path}/deployments`, {
      key: owner.key,
      body: site,
      headers,
    });
    expect(upload).toMatchObject(refused);
    expect((await ask<Deployment[]>(owner, 'GET', `${path}/deployments`)).status).toBe(200);

    const other = await domainFixture.createProject(owner.key, true);
    expect((await ask<Project>(owner, 'GET', `/v1/projects/${other}`)).body.suspensions).toEqual([]);
    await admin(`project resume --project ${owner.projectId}`);
    expect(await routeOf(`${slug}.pets.localhost`)).toMatchObject({ serve: { kind: 'site' } });
    expect((await ask(owner, 'PATCH', path, { name: 'Other' })).status).toBe(200);
  });
});

describe('a suspended organization', () => {
  it('can read and end keys and sessions, and change nothing else', async () => {
    const { owner, organizationId, name } = await servedTenant();
    await admin(`organization suspend --organization ${organizationId} --reason fraud`);
    expect(await routeOf(name)).toMatchObject({ serve: { kind: 'suspended' } });
    const refused = { status: 403, body: { code: 'suspended', message: expect.stringContaining('fraud') } };
    await waitUntil(async () => (await ask(owner, 'POST', '/v1/projects', {})).status === 403, {
      message: 'the key is seen as suspended',
    });
    expect(await ask(owner, 'POST', '/v1/projects', { name: 'P', slug: 'another' })).toMatchObject(refused);
    expect(await ask(owner, 'POST', '/v1/pets', { name: 'Rex', categoryId: 1 })).toMatchObject(refused);
    expect(await ask(owner, 'POST', '/v1/api-keys', { name: 'k', scopes: ['pets:read'] })).toMatchObject(refused);
    expect((await ask<Organization>(owner, 'GET', '/v1/organization')).body.suspensions).toMatchObject([
      { scope: 'organization', cause: 'operator', reason: 'fraud' },
    ]);
    const session = await ask<CreatedSession>(owner, 'POST', '/v1/sessions');
    expect(session.status).toBe(201);
    const bySession = { ...owner, key: session.body.secret };
    expect((await ask(bySession, 'GET', '/v1/pets')).status).toBe(200);
    expect(await ask(bySession, 'POST', '/v1/projects', { name: 'P', slug: 'another' })).toMatchObject(refused);
    expect((await ask(bySession, 'DELETE', '/v1/sessions/current')).status).toBe(204);
    const keys = (await ask<{ id: string }[]>(owner, 'GET', '/v1/api-keys')).body;
    expect((await ask(owner, 'DELETE', `/v1/api-keys/${keys[0]?.id ?? ''}`)).status).toBe(204);
  });

  it('is suspended for each cause until that cause ends', async () => {
    const { owner, id, organizationId, name } = await servedTenant();
    const service = await createSuspensionsService({ db: domainFixture.api.db, config });
    const plan = { cause: 'plan', reason: 'downgraded', by: null, renewsUntil: null } as const;
    await service.suspend({ organizationId }, plan, new Date());
    await admin(`organization suspend --organization ${organizationId} --reason fraud`);
    await admin(`organization resume --organization ${organizationId}`);
    expect(await routeOf(name)).toMatchObject({ serve: { kind: 'suspended' } });
    expect((await owner.get(id)).suspensions).toMatchObject([{ cause: 'plan' }]);
    const { slug } = (await ask<Project>(owner, 'GET', `/v1/projects/${owner.projectId}`)).body;
    expect(await routeOf(`${slug}.pets.localhost`)).toMatchObject({ serve: { kind: 'site' } });
    await service.resume({ organizationId }, 'plan', new Date());
    expect(await routeOf(name)).toMatchObject({ serve: { kind: 'site' } });
  });

  it('serves nothing that was deployed, or added, at the moment of the suspension', async () => {
    const owner = await domainFixture.tenant();
    const organizationId = await fixture.organizationOf(owner);
    const headers = { 'content-type': 'application/gzip' };
    const deploy = (id: string) =>
      domainFixture.api.request('POST', `/v1/projects/${id}/deployments`, { key: owner.key, body: site, headers });
    const attempts = Array.from({ length: 12 }, async (_, index) => {
      const body = { name: 'P', slug: `race-${index}` };
      const { body: made } = await domainFixture.api.request<Project>('POST', '/v1/projects', { key: owner.key, body });
      if (made.id !== undefined) await deploy(made.id);
    });
    await waitUntil(async () => (await ask<Project[]>(owner, 'GET', '/v1/projects')).body.length > 4, {
      timeoutMs: 15_000,
      message: 'some projects are there',
    });
    await admin(`organization suspend --organization ${organizationId} --reason fraud`);
    await Promise.all([...attempts, deploy(owner.projectId)]);
    const routes = [...(await servedRoutes(domainFixture.api))];
    const kinds = routes.filter(([host]) => host.startsWith('race-')).map(([, { serve }]) => serve?.kind);
    expect(new Set(kinds)).toEqual(new Set(['suspended']));
  });
});
