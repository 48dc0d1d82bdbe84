import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { createSuspensionsService } from '../../src/operations/admin/suspension-commands.js';
import type { DomainFixture } from '../domain-fixture.js';
import { acknowledge } from '../edge/feed-steps.js';
import { adminConfig as config, startOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
let domainFixture: DomainFixture;
beforeAll(async () => {
  fixture = await startOperatorFixture();
  ({ domainFixture } = fixture);
});
beforeEach(async () => void (await domainFixture.api.db.deleteFrom('edges').execute()));
afterAll(() => fixture.close());

const admin: OperatorFixture['admin'] = (line) => fixture.admin(line);
const routeOf: OperatorFixture['routeOf'] = (host) => fixture.routeOf(host);
const servedTenant = () => fixture.servedTenant();
const ask: OperatorFixture['ask'] = (...asked) => fixture.ask(...asked);

describe('a suspended domain', () => {
  it('is served 410 by the edges, shows why, and is served again once it is resumed', async () => {
    const { owner, id, name } = await servedTenant();
    const before = await routeOf(name);
    expect(await admin(`domain suspend --domain ${name} --reason phishing --by ann`)).toMatchObject({
      changed: true,
      domains: 1,
      pendingEdges: 0,
    });
    expect(await routeOf(name)).toEqual({ ...before, serve: { kind: 'suspended' }, answersChallenges: false });
    const { suspensions, issues } = await owner.get(id);
    expect(suspensions).toEqual([
      { scope: 'domain', cause: 'operator', reason: 'phishing', since: expect.any(String), renewsUntil: null },
    ]);
    expect(issues[0]).toMatchObject({ code: 'suspended', message: expect.stringContaining('phishing') });

    expect(await admin(`domain resume --domain ${name}`)).toMatchObject({ changed: true, pendingEdges: 0 });
    expect(await routeOf(name)).toEqual(before);
    expect(await owner.get(id)).toMatchObject({ suspensions: [] });
    const lines = (await owner.events(id)).filter(({ type }) => /^domain\./.test(type));
    expect(lines.map(({ type, detail }) => [type, detail])).toEqual([
      ['domain.suspended', 'suspended (operator): phishing'],
      ['domain.resumed', 'resumed (operator)'],
    ]);
  });

  it('cannot be removed, verified or re-verified by its owner', async () => {
    const { owner, id, name } = await servedTenant();
    await admin(`domain suspend --domain ${name} --reason phishing`);
    const path = `/v1/projects/${owner.projectId}/domains/${id}`;
    for (const [method, at] of [
      ['DELETE', path],
      ['POST', `${path}/verify`],
      ['POST', `${path}/reverify`],
    ] as const)
      expect(await ask(owner, method, at)).toMatchObject({ status: 403, body: { code: 'suspended' } });
    expect(await routeOf(name)).toMatchObject({ serve: { kind: 'suspended' } });
    const { dns } = await owner.get(id);
    expect(await ask(owner, 'POST', `${path}/watch`)).toMatchObject({ status: 200, body: { dns } });
  });

  it('stays suspended when its owner loses the name and adds it again', async () => {
    const { owner, id, name, organizationId } = await servedTenant();
    await admin(`domain suspend --domain ${id} --reason phishing`);
    await sql`update domains set state = 'removed', removed_at = now() where id = ${id}`.execute(domainFixture.api.db);
    expect(await owner.add(name)).toMatchObject({ suspensions: [{ reason: 'phishing' }] });
    expect(await admin(`suspensions list --organization ${organizationId}`)).toMatchObject({
      suspensions: [{ organizationId, name, cause: 'operator' }],
    });
  });

  it('is resumed also where nobody has the name any more, which the audit log says', async () => {
    const { owner, id, name, organizationId } = await servedTenant();
    await admin(`domain suspend --domain ${id} --reason phishing`);
    await sql`update domains set state = 'removed', removed_at = now() where id = ${id}`.execute(domainFixture.api.db);
    const target = { organizationId, name };
    const service = await createSuspensionsService({ db: domainFixture.api.db, config });
    expect(await service.resume(target, 'operator', new Date())).toMatchObject({ changed: true, domains: 0 });
    expect((await ask<AuditEvent[]>(owner, 'GET', '/v1/audit-events?type=domain.resumed')).body).toMatchObject([
      { subject: { kind: 'domain', id: name, display: name }, detail: { name } },
    ]);
  });

  it('is reported with the edges that have not acknowledged, until they have', async () => {
    const { name } = await servedTenant();
    const { api } = domainFixture;
    await acknowledge(api, api.url, 'edge-one');
    expect(await admin(`domain suspend --domain ${name} --reason x`)).toMatchObject({ changed: true, pendingEdges: 1 });
    expect(await admin(`domain suspend --domain ${name} --reason x`)).toMatchObject({
      changed: false,
      pendingEdges: 1,
    });
    await acknowledge(api, api.url, 'edge-one');
    expect(await admin(`domain suspend --domain ${name} --reason x`)).toMatchObject({
      changed: false,
      pendingEdges: 0,
    });
  });

  it('is the one that serves the name, where several organizations have added it', async () => {
    const { name, organizationId } = await servedTenant();
    const other = await domainFixture.tenant();
    await other.add(name);
    expect(await admin(`domain suspend --domain ${name.toUpperCase()} --reason x`)).toMatchObject({
      suspended: { organizationId, name },
    });
  });
});

describe('renewal', () => {
  const makeDue = (id: string) =>
    sql`update domain_work set due_at = now() - interval '3 days' where domain_id = ${id} and kind = 'issuance'`.execute(
      domainFixture.api.db,
    );
  const clock = async (id: string) =>
    domainFixture.api.db
      .selectFrom('domain_work')
      .selectAll()
      .where('domain_id', '=', id)
      .where('kind', '=', 'issuance')
      .executeTakeFirstOrThrow();

  it('waits under the operator’s suspension, and begins with its end, although the certificate has expired', async () => {
    const { owner, id, name } = await servedTenant();
    await admin(`domain suspend --domain ${name} --reason x`);
    await sql`update certificates set not_after = now() - interval '1 day' where domain_id = ${id}`.execute(
      domainFixture.api.db,
    );
    const { attempt } = await clock(id);
    await makeDue(id);
    await sql`select pg_notify('domain_work', '')`.execute(domainFixture.api.db);
    await waitUntil(async () => (await clock(id)).held_due_at !== null, { message: 'it is held' });
    expect(await clock(id)).toMatchObject({ attempt, lease_until: null });
    expect((await owner.get(id)).certificate).toMatchObject({ attempts: attempt, nextAttemptAt: null });
    expect((await owner.get(id)).issues.map(({ code }) => code)).toEqual(['suspended']);

    await admin(`domain resume --domain ${name}`);
    const job = await domainFixture.worker.nextJob('issue-certificate', id);
    await domainFixture.sign(job, name);
    await waitUntil(async () => (await owner.get(id)).certificate?.state === 'issued', {
      timeoutMs: 15_000,
      message: 'the new certificate',
    });
    expect(await clock(id)).toMatchObject({ attempt: attempt + 1, held_due_at: null });
  });

  it('goes on up to the time that a plan’s suspension names', async () => {
    const { id, name, organizationId } = await servedTenant();
    const service = await createSuspensionsService({ db: domainFixture.api.db, config });
    const plan = { cause: 'plan', reason: 'the plan no longer includes custom domains', by: null } as const;
    const renewsUntil = new Date(Date.now() + 60_000);
    await service.suspend({ organizationId }, { ...plan, renewsUntil }, new Date());
    expect(await routeOf(name)).toMatchObject({ serve: { kind: 'suspended' }, answersChallenges: true });
    await makeDue(id);
    await sql`select pg_notify('domain_work', '')`.execute(domainFixture.api.db);
    await domainFixture.worker.nextJob('issue-certificate', id);
    await service.suspend({ organizationId }, { ...plan, renewsUntil: new Date(0) }, new Date());
    expect(await routeOf(name)).toMatchObject({ answersChallenges: false });
  });
});

it.each([
  [
    'an organization there is not',
    'organization suspend --organization 00000000-0000-4000-8000-000000000000 --reason x',
    'there is no organization',
  ],
  [
    'a project there is not',
    'project suspend --project 00000000-0000-4000-8000-000000000000 --reason x',
    'there is no project',
  ],
  ['a domain there is not', 'domain suspend --domain nobody.example --reason x', 'there is no domain nobody.example'],
  ['no reason', 'domain suspend --domain nobody.example', '--reason is missing'],
  [
    'a reason that is too long',
    `domain suspend --domain nobody.example --reason ${'x'.repeat(501)}`,
    '1 to 500 characters',
  ],
])('is an error: %s', (_name, line, message) => expect(admin(line)).rejects.toThrow(message));
