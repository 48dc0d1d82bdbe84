import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Domain, Organization } from '@pets/contracts';
import { sql } from 'kysely';
import { DomainCountsRepository } from '../../src/names/domain-counts.repository.js';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;
let counts: DomainCountsRepository;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  counts = new DomainCountsRepository(fixture.api.db);
});
afterAll(() => fixture.close());

/** Another organization whose projects may have so many domains. */
async function limitedTenant(limit: number): Promise<Tenant> {
  const tenant = await fixture.tenant();
  await setLimit(tenant, limit);
  return tenant;
}

async function setLimit({ projectId }: Tenant, limit: number): Promise<void> {
  await sql`
    insert into organization_limits (organization_id, name, value)
    select organization_id, 'domainsPerProject', ${limit} from projects where id = ${projectId}
    on conflict (organization_id, name) do update set value = excluded.value`.execute(fixture.api.db);
}

const add = (tenant: Tenant, name = fixture.freshName()) =>
  fixture.api.request<Domain & ApiError>('POST', fixture.path(tenant.projectId), { key: tenant.key, body: { name } });
const usageOf = async ({ key }: Tenant) =>
  (await fixture.api.request<Organization>('GET', '/v1/organization', { key })).body.usage;

describe('the limit of domains of a project', () => {
  it('is not exceeded by concurrent requests, and the count is right after all of them', async () => {
    const tenant = await limitedTenant(3);
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(tenant)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 9 }, () => [403, 'domain_limit_reached']),
    );
    expect(await usageOf(tenant)).toMatchObject({ domains: 3, domainsPerProject: 3 });
  });

  it('deletes nothing when it is lowered, refuses new ones, and has room again after a removal', async () => {
    const tenant = await limitedTenant(3);
    const ids = (await Promise.all(Array.from({ length: 3 }, () => add(tenant)))).map(({ body }) => body.id);
    await setLimit(tenant, 2);
    expect((await add(tenant)).body.code).toBe('domain_limit_reached');
    expect(await usageOf(tenant)).toMatchObject({ domains: 3 });
    for (const id of ids.slice(0, 2)) await tenant.remove(id);
    expect((await add(tenant)).status).toBe(201);
    expect((await add(tenant)).body.code).toBe('domain_limit_reached');
  });

  it('counts the domains of the time before there were counts', async () => {
    const tenant = await limitedTenant(3);
    await Promise.all([add(tenant), add(tenant)]);
    await sql`delete from domain_counts where project_id = ${tenant.projectId}`.execute(fixture.api.db);
    expect(await usageOf(tenant)).toMatchObject({ domains: 2, domainsPerProject: 2 });
    const answers = await Promise.all([add(tenant), add(tenant), add(tenant)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    expect(await counts.ofProject(tenant.projectId)).toMatchObject({ awaitingDns: 3 });
  });
});

describe('the counts of a project', () => {
  it('follow every change of a state', async () => {
    const tenant = await fixture.tenant();
    const { body: one } = await add(tenant);
    const { body: other } = await add(tenant);
    await fixture.check(one.id, matchingFindings);
    await tenant.untilState(one.id, 'verified');
    const none = { awaitingDns: 0, verified: 0, live: 0, misconfigured: 0 };
    expect(await counts.ofProject(tenant.projectId)).toEqual({ ...none, awaitingDns: 1, verified: 1 });
    await sql`update domains set misconfigured = true where id = ${one.id}`.execute(fixture.api.db);
    expect(await counts.ofProject(tenant.projectId)).toEqual({
      ...none,
      awaitingDns: 1,
      verified: 1,
      misconfigured: 1,
    });
    await tenant.remove(one.id);
    await tenant.remove(other.id);
    expect(await counts.ofProject(tenant.projectId)).toEqual(none);
  });

  it('follow a statement that inserts domains of several projects', async () => {
    const tenants = [await fixture.tenant(), await fixture.tenant()];
    for (const tenant of tenants) await add(tenant);
    await sql`
      with added as (
        select p.id, p.organization_id, 'many-' || n || '.example.com' as name
        from projects p, generate_series(1, 500) n where p.id = any(${tenants.map(({ projectId }) => projectId)})
      ), claims as (
        insert into domain_claims (organization_id, name, target_token, ownership_token)
        select organization_id, name, md5(name || id), 'x' from added
      )
      insert into domains
        (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at)
      select organization_id, id, name, name, 'example.com', now(), now() from added`.execute(fixture.api.db);
    for (const { projectId } of tenants) expect(await counts.ofProject(projectId)).toMatchObject({ awaitingDns: 501 });
  });
});
