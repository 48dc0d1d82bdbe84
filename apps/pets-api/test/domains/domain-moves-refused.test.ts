import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { moveSteps } from './move-steps.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;
let steps: ReturnType<typeof moveSteps>;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  steps = moveSteps(fixture);
});
afterAll(() => fixture.close());

describe('a move is refused', () => {
  it.each([
    ['unknown', '0198a5a4-2f4e-7b60-9c1d-5f0e8d3c2b1a', 404],
    ['not an id', 'acme-docs', 400],
  ])('when the other project is %s', async (_name, projectId, status) => {
    const { id } = await fixture.add(fixture.freshName());
    const refused = await steps.move(id, projectId);
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([status, 'projectId']);
  });

  it('to and from a project of another organization', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const tenant = await fixture.tenant();
    expect((await steps.move(id, tenant.projectId)).status).toBe(404);
    const theirs = await tenant.add(fixture.freshName());
    expect((await steps.move(theirs.id, fixture.projectId, {}, tenant.projectId)).status).toBe(404);
  });

  it('of a removed domain', async () => {
    const { id } = await fixture.add(fixture.freshName());
    await steps.ask('DELETE', `${fixture.path()}/${id}`);
    expect(await steps.move(id, await steps.createTarget())).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('to a project that serves nothing', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const refused = await steps.move(id, await fixture.createProject(fixture.key, false));
    expect([refused.status, refused.body.code]).toEqual([409, 'deployment_required']);
  });

  it('to a project without room, also when two arrive together', async () => {
    const { organizationId, key } = await fixture.api.createOrganization('pro');
    await sql`
      insert into organization_limits (organization_id, name, value)
      values (${organizationId}, 'domainsPerProject', 2)`.execute(fixture.api.db);
    const [from, to] = [await fixture.createProject(key, true), await fixture.createProject(key, true)];
    const add = async (projectId: string) => {
      const body = { name: fixture.freshName() };
      return (await fixture.api.request<Domain>('POST', fixture.path(projectId), { key, body })).body.id;
    };
    const ids = [await add(from), await add(from)];
    await add(to);
    const answers = await Promise.all(
      ids.map((id) =>
        fixture.api.request('POST', `${fixture.path(from)}/${id}/move`, { key, body: { projectId: to } }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
      [200, undefined],
      [403, 'domain_limit_reached'],
    ]);
  });

  it.each(['source', 'target'] as const)('when the %s is suspended', async (side) => {
    const [source, target] = [await steps.createTarget(), await steps.createTarget()];
    const { id } = (await steps.ask<Domain>('POST', fixture.path(source), { name: fixture.freshName() })).body;
    const suspended = { source, target }[side];
    const command = ['project', 'suspend', '--project', suspended, '--reason', 'abuse', '--wait-seconds', '0'];
    await runAdminCommand(command, fixture.api.db, adminConfig);
    expect(await steps.move(id, target, {}, source)).toMatchObject({ status: 403, body: { code: 'suspended' } });
  });

  it('without the scope', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const { organization_id: organizationId } = await fixture.api.db
      .selectFrom('projects')
      .select('organization_id')
      .where('id', '=', fixture.projectId)
      .executeTakeFirstOrThrow();
    const key = await fixture.api.createKey(organizationId, { scopes: ['domains:read'] });
    const body = { projectId: await steps.createTarget() };
    const refused = await fixture.api.request('POST', `${fixture.path()}/${id}/move`, { key, body });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  });
});

describe('entries of the domain configuration that refer to the domain', () => {
  async function paired() {
    const source = await steps.createTarget();
    const [apex, www, other] = [fixture.freshName(), fixture.freshName(), fixture.freshName()];
    const ids: string[] = [];
    for (const name of [apex, www, other])
      ids.push((await steps.ask<Domain>('POST', fixture.path(source), { name })).body.id);
    const redirects = [{ from: www, to: apex, status: 301 as const }];
    await steps.setConfig(source, { domains: { primary: apex, redirects } });
    return { source, ids, apex, www, other, redirects };
  }

  it('refuse the move unless the caller says otherwise, and are named', async () => {
    const { source, apex, www } = await paired();
    const refused = await steps.move(apex, await steps.createTarget(), {}, source);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(refused.body.message).toBe(
      `redirects: the domain configuration has 2 entries with ${apex}; remove them, or send "move" to move them along.`,
    );
    expect(refused.body.errors?.map(({ message }) => message).slice(1)).toEqual([
      `${apex} is the primary domain of the project`,
      `${www} redirects to ${apex} (301)`,
    ]);
  });

  it('do not matter for a domain that none of them names', async () => {
    const { source, other, apex, redirects } = await paired();
    expect((await steps.move(other, await steps.createTarget(), {}, source)).status).toBe(200);
    expect(await steps.configOf(source)).toEqual({ domains: { primary: apex, redirects } });
  });

  it('move along with the domains that they connect, in one version', async () => {
    const { source, ids, apex, www, other, redirects } = await paired();
    for (const id of ids) await fixture.check(id, matchingFindings);
    for (const [index, name] of [apex, www, other].entries()) await fixture.issue(ids[index] ?? '', name);
    for (const id of ids) await fixture.worker.nextJob('probe-edge', id);
    const target = await steps.createTarget();
    const [before, version] = [await steps.routeOf(www), await steps.newestVersion()];
    expect((await steps.move(apex, target, { redirects: 'move' }, source)).status).toBe(200);
    expect(await steps.configOf(source)).toEqual({ domains: { redirects: [] } });
    expect(await steps.configOf(target)).toEqual({ domains: { primary: apex, redirects } });
    for (const name of [apex, www])
      expect(await steps.routeOf(name)).toMatchObject({ projectId: target, version: version + 1n });
    expect((await steps.routeOf(www))?.route).toEqual(before?.route);
    expect(await steps.routeOf(other)).toMatchObject({ projectId: source });
    expect(await steps.newestVersion()).toBe(version + 1n);
    expect((await steps.ask<Domain>('GET', `${fixture.path(target)}/${www}`)).status).toBe(200);
  });

  it('need room for all the domains', async () => {
    const { source, apex } = await paired();
    const target = await steps.createTarget();
    const { rows } = await sql<{ organizationId: string }>`
      insert into organization_limits (organization_id, name, value)
      select organization_id, 'domainsPerProject', 1 from projects where id = ${target}
      returning organization_id as "organizationId"`.execute(fixture.api.db);
    const refused = await steps.move(apex, target, { redirects: 'move' }, source);
    expect([refused.status, refused.body.code]).toEqual([403, 'domain_limit_reached']);
    expect(await steps.countsOf(source)).toMatchObject({ awaiting_dns: 3 });
    await sql`delete from organization_limits where organization_id = ${rows[0]?.organizationId}`.execute(
      fixture.api.db,
    );
  });
});
