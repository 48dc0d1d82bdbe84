import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain, Organization } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import type { Tenant } from '../domain-fixture.js';
import { startOperatorFixture, type OperatorFixture, type ServedDomain } from '../operations/operator-fixture.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

let fixture: OperatorFixture;
/** How far the clock of the API is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  fixture = await startOperatorFixture(() => new Date(Date.now() + aheadMs));
});
afterEach(async () => {
  aheadMs = 0;
  await sql`delete from plan_changes`.execute(fixture.domainFixture.api.db);
});
afterAll(() => fixture.close());

/** A round of the schedule, as if so many days had passed. */
async function passDays(days: number): Promise<void> {
  aheadMs = days * DAY_MS;
  await sql`select pg_notify('plan_changes', '')`.execute(fixture.domainFixture.api.db);
}
const setPlan = (organizationId: string, plan: string) =>
  fixture.admin(`plan set --organization ${organizationId} --plan ${plan}`);
const readOrganization = async (owner: Tenant) =>
  (await fixture.ask<Organization>(owner, 'GET', '/v1/organization')).body;
const changesOf = (organizationId: string) =>
  fixture.domainFixture.api.db
    .selectFrom('plan_changes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .execute();
const untilApplied = (organizationId: string) =>
  waitUntil(async () => (await changesOf(organizationId)).length === 0, {
    message: 'the change to be applied',
  });
const planIssueOf = ({ issues }: Domain) => issues.find(({ code }) => code === 'plan_ended');
const daysUntil = (time: unknown) => Math.round(((Date.parse(String(time)) - Date.now()) / DAY_MS) * 100) / 100;

/** A served domain of an organization that has just gone to the free plan. */
async function downgraded(): Promise<ServedDomain> {
  const served = await fixture.servedTenant();
  await setPlan(served.organizationId, 'free');
  return served;
}

describe('a downgrade to the free plan', () => {
  it('keeps domains served for fourteen days, and says until when', async () => {
    const { owner, id, name, organizationId } = await fixture.servedTenant();
    const before = await fixture.routeOf(name);
    await setPlan(organizationId, 'free');
    const issue = planIssueOf(await owner.get(id));
    expect(issue).toMatchObject({ severity: 'warning', message: expect.stringContaining(name) });
    expect(daysUntil(issue?.evidence['until'])).toBe(14);
    expect(daysUntil((await readOrganization(owner)).domainsEndAt)).toBe(14);
    const refused = await fixture.ask(owner, 'POST', `/v1/projects/${owner.projectId}/domains`, { name: `x.${name}` });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 'plan_required' });

    const other = await downgraded();
    await sql`update plan_changes set since = since - interval '2 days' where organization_id = ${other.organizationId}`.execute(
      fixture.domainFixture.api.db,
    );
    await passDays(13);
    await untilApplied(other.organizationId);
    expect(await fixture.routeOf(name)).toEqual(before);
    expect(await changesOf(organizationId)).toHaveLength(1);
  });

  it('suspends them then, answers challenges for thirty days more, and leaves the platform’s host alone', async () => {
    const { owner, id, name, organizationId } = await downgraded();
    const before = await fixture.routeOf(name);
    await passDays(14.01);
    await untilApplied(organizationId);
    expect(await fixture.routeOf(name)).toEqual({ ...before, serve: { kind: 'suspended' }, answersChallenges: true });
    const domain = await owner.get(id);
    expect(domain.suspensions).toMatchObject([{ scope: 'project', cause: 'plan' }]);
    expect(daysUntil(domain.suspensions[0]?.renewsUntil)).toBeCloseTo(44.01, 1);
    expect(domain.issues.map(({ code }) => code)).toEqual(['suspended']);
    expect((await owner.events(id)).map(({ type }) => type)).toContain('domain.suspended');
    const { slug } = (await fixture.ask<{ slug: string }>(owner, 'GET', `/v1/projects/${owner.projectId}`)).body;
    expect(await fixture.routeOf(`${slug}.pets.localhost`)).toMatchObject({ serve: { kind: 'site' } });
    expect((await readOrganization(owner)).domainsEndAt).toBeNull();
  });

  it('is undone without a trace by an upgrade in that time', async () => {
    const { owner, id, name, organizationId } = await downgraded();
    await setPlan(organizationId, 'pro');
    expect(await changesOf(organizationId)).toEqual([]);
    expect(planIssueOf(await owner.get(id))).toBeUndefined();
    expect((await readOrganization(owner)).domainsEndAt).toBeNull();
    const other = await downgraded();
    await passDays(15);
    await untilApplied(other.organizationId);
    expect(await fixture.routeOf(name)).not.toMatchObject({ serve: { kind: 'suspended' } });
  });

  it('does not prolong the time when it is repeated', async () => {
    const { organizationId } = await downgraded();
    const [first] = await changesOf(organizationId);
    await setPlan(organizationId, 'free');
    expect(await changesOf(organizationId)).toEqual([first]);
  });

  it('has no effect where there is no domain, also when domains are removed in time', async () => {
    const { owner, id, organizationId } = await downgraded();
    const { organizationId: empty } = await fixture.domainFixture.api.createOrganization('pro');
    await setPlan(empty, 'free');
    expect(await changesOf(empty)).toEqual([]);
    await owner.remove(id);
    await passDays(15);
    await untilApplied(organizationId);
    expect((await owner.get(id)).suspensions).toEqual([]);
  });

  it('cannot be outrun by domains that are added at the same time', async () => {
    const owner = await fixture.domainFixture.tenant();
    const organizationId = await fixture.organizationOf(owner);
    const path = `/v1/projects/${owner.projectId}/domains`;
    const adding = Array.from({ length: 8 }, () =>
      fixture.ask(owner, 'POST', path, { name: fixture.domainFixture.freshName() }),
    );
    await setPlan(organizationId, 'free');
    const added = (await Promise.all(adding)).filter(({ status }) => status === 201);
    expect(await changesOf(organizationId)).toHaveLength(added.length > 0 ? 1 : 0);
  });
});

describe('an upgrade after the suspension', () => {
  it('serves the domains again at once', async () => {
    const { owner, id, name, organizationId } = await fixture.servedTenant();
    const before = await fixture.routeOf(name);
    await setPlan(organizationId, 'free');
    await passDays(15);
    await untilApplied(organizationId);
    await setPlan(organizationId, 'pro');
    await untilApplied(organizationId);
    expect(await fixture.routeOf(name)).toEqual(before);
    expect(await owner.get(id)).toMatchObject({ suspensions: [], issues: [] });
    expect((await owner.events(id)).at(-1)).toMatchObject({ type: 'domain.resumed', detail: 'resumed (plan)' });
  });

  it('leaves alone what the operator suspended', async () => {
    const { owner, id, name, organizationId } = await downgraded();
    await fixture.admin(`domain suspend --domain ${name} --reason phishing`);
    await passDays(15);
    await untilApplied(organizationId);
    await setPlan(organizationId, 'pro');
    await untilApplied(organizationId);
    expect((await owner.get(id)).suspensions).toMatchObject([{ cause: 'operator' }]);
    expect(await fixture.routeOf(name)).toMatchObject({ serve: { kind: 'suspended' } });
  });

  it('orders a certificate where the old one has expired, which nobody did meanwhile', async () => {
    const { domainFixture } = fixture;
    const { owner, id, name, organizationId } = await downgraded();
    await passDays(15);
    await untilApplied(organizationId);
    await sql`update suspensions set renews_until = now() - interval '1 second' where organization_id = ${organizationId}`.execute(
      domainFixture.api.db,
    );
    await sql`update certificates set not_after = now() - interval '1 day' where domain_id = ${id}`.execute(
      domainFixture.api.db,
    );
    await sql`update domain_work set due_at = now() - interval '1 second' where domain_id = ${id} and kind = 'issuance'`.execute(
      domainFixture.api.db,
    );
    await sql`select pg_notify('domain_work', '')`.execute(domainFixture.api.db);
    const held = async () =>
      (
        await sql`select from domain_work where domain_id = ${id} and kind = 'issuance' and held_due_at is not null`.execute(
          domainFixture.api.db,
        )
      ).rows;
    await waitUntil(async () => (await held()).length === 1, { message: 'the order to be held' });
    await setPlan(organizationId, 'pro');
    await domainFixture.issue(id, name);
    await waitUntil(async () => (await owner.get(id)).certificate?.state === 'issued', {
      ...{ timeoutMs: 15_000, message: 'the new certificate' },
    });
  });
});

describe('the schedule', () => {
  it('goes on where a process died: projects that are not suspended yet are', async () => {
    const { domainFixture } = fixture;
    const { owner, name, organizationId } = await downgraded();
    await setPlan(organizationId, 'pro');
    const second = { ...owner, projectId: await domainFixture.createProject(owner.key, true) };
    const added = await fixture.ask<Domain>(owner, 'POST', `/v1/projects/${second.projectId}/domains`, {
      name: domainFixture.freshName(),
    });
    await setPlan(organizationId, 'free');
    await sql`
      insert into suspensions (organization_id, project_id, cause, reason, since)
      values (${organizationId}, ${owner.projectId}, 'plan', 'x', now())`.execute(domainFixture.api.db);
    await passDays(15);
    await untilApplied(organizationId);
    const read = async (projectId: string, key: string) =>
      (await fixture.ask<Domain>(owner, 'GET', `/v1/projects/${projectId}/domains/${key}`)).body.suspensions;
    expect(await read(owner.projectId, name)).toHaveLength(1);
    expect(await read(second.projectId, added.body.id)).toMatchObject([{ cause: 'plan' }]);
    await setPlan(organizationId, 'pro');
    await untilApplied(organizationId);
    expect([await read(owner.projectId, name), await read(second.projectId, added.body.id)]).toEqual([[], []]);
  });

  it('follows limits as well: a limit of its own includes domains, and taking it back ends that', async () => {
    const { organizationId } = await downgraded();
    const limit = `--organization ${organizationId} --name domainsPerProject`;
    await fixture.admin(`limits set ${limit} --value 5`);
    expect(await changesOf(organizationId)).toEqual([]);
    await fixture.admin(`limits unset ${limit}`);
    expect(await changesOf(organizationId)).toMatchObject([{ action: 'suspend' }]);
  });

  it('follows the limits of a plan for every organization on it', async () => {
    const { organizationId } = await fixture.servedTenant();
    await fixture.admin('plan limits set --plan pro --name domainsPerProject --value 0');
    expect(await changesOf(organizationId)).toMatchObject([{ action: 'suspend' }]);
    await fixture.admin('plan limits set --plan pro --name domainsPerProject --value 50');
    expect(await changesOf(organizationId)).toEqual([]);
  });
});
