import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain, DomainJobs, EdgeRoute, ExpectedDns } from '@pets/contracts';
import { notify } from '@pets/persistence';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { PreparedHandshakes } from '../../src/dispatch/prepared-handshakes.service.js';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { addVerified, issueCodesOf, untilIssues } from '../domains/domain-steps.js';
import {
  attemptOf,
  emptyFindings,
  matchingFindings,
  orderOf,
  signRequest,
  withDelegation,
  withoutDelegation,
} from '../scripted-worker.js';

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DNS_ZONE: 'acme.pets.localhost' });
});
afterAll(() => fixture.close());

const delegated = (expected: ExpectedDns) => withDelegation(emptyFindings(expected), expected);
const switched = (expected: ExpectedDns) => withDelegation(matchingFindings(expected), expected);
const undelegated = (expected: ExpectedDns) => withoutDelegation(emptyFindings(expected), expected);

async function routeOf(host: string): Promise<(EdgeRoute & { projectId: string }) | null> {
  const { rows } = await sql<{ projectId: string; route: EdgeRoute | null }>`
    select project_id as "projectId", route from edge_routes where host = ${host}`.execute(fixture.api.db);
  const [row] = rows;
  return row?.route ? { ...row.route, projectId: row.projectId } : null;
}

async function countOrders(domainId: string): Promise<number> {
  const { rows } = await sql`
    select from certificates where domain_id = ${domainId} and ordered is distinct from false`.execute(fixture.api.db);
  return rows.length;
}

async function sign(job: DomainJobs['issue-certificate'], name: string): Promise<void> {
  const chainPem = await signRequest(job.csrPem, name);
  await fixture.api.messaging.events.emit('certificate.issued', { ...orderOf(job), chainPem });
}

async function serve(id: string): Promise<void> {
  const job = await fixture.worker.nextJob('probe-edge', id);
  const { leafSha256 } = job;
  await fixture.api.messaging.events.emit('certificate.served', { ...attemptOf(job), leafSha256 });
}

const untilReadiness = (owner: Tenant, id: string, state: string) =>
  waitUntil(async () => (await owner.get(id)).readiness?.state === state, { timeoutMs: 15_000, message: state });

const untilIssued = (owner: Tenant, id: string) =>
  waitUntil(async () => (await owner.get(id)).certificate?.state === 'issued', { timeoutMs: 15_000 });

/** A domain with a certificate whose name points elsewhere. */
async function prepared(owner: Tenant, name = fixture.freshName()): Promise<Domain> {
  const { id } = await owner.add(name);
  await fixture.check(id, delegated);
  await sign(await fixture.worker.nextJob('issue-certificate', id), name);
  await serve(id);
  await untilReadiness(owner, id, 'ready');
  return owner.get(id);
}

/** Until no check of the DNS is under way: the next one is an hour away. */
async function untilIdle(id: string): Promise<void> {
  await sql`update domains set requested_at = now() - interval '3 days' where id = ${id}`.execute(fixture.api.db);
  await fixture.check(id, delegated);
  const isIdle = async () => {
    const { rows } = await sql`select from domain_work where domain_id = ${id} and kind = 'dns' and lease_until is null
      and due_at > now() + interval '1 minute'`.execute(fixture.api.db);
    return rows.length > 0;
  };
  await waitUntil(isIdle, { timeoutMs: 15_000, message: 'the check to be applied' });
}

async function makeDue(id: string, kind: string): Promise<void> {
  await sql`update domain_work set due_at = now() - interval '1 second' where domain_id = ${id} and kind = ${kind}`.execute(
    fixture.api.db,
  );
  await notify(fixture.api.db, 'domain_work');
}

describe('a name whose challenges are delegated', () => {
  it('gets its certificate while it points elsewhere, and is live after the switch without another order', async () => {
    const owner = await fixture.tenant();
    const name = fixture.freshName();
    const { id, readiness } = await owner.add(name);
    expect(readiness).toMatchObject({ state: 'waiting', message: expect.stringContaining(`_acme-challenge.${name}`) });

    await fixture.check(id, delegated);
    const job = await fixture.worker.nextJob('issue-certificate', id);
    expect(job.methods).toEqual(['dns-01']);
    expect(await owner.get(id)).toMatchObject({
      state: 'awaiting_dns',
      readiness: { state: 'preparing' },
      certificate: { state: 'pending', method: 'dns-01' },
    });

    await sign(job, name);
    await untilIssued(owner, id);
    expect((await owner.get(id)).readiness?.state).toBe('preparing');
    expect(await routeOf(name)).toMatchObject({
      isPrepared: true,
      serve: { kind: 'site' },
      projectId: owner.projectId,
    });
    await serve(id);
    await untilReadiness(owner, id, 'ready');
    expect(await owner.get(id)).toMatchObject({
      state: 'awaiting_dns',
      certificate: { state: 'issued', method: 'dns-01' },
      readiness: { message: 'You can switch the DNS record now: visitors will see no interruption.' },
    });

    await fixture.check(id, switched);
    await owner.untilState(id, 'verified');
    expect(await routeOf(name)).not.toHaveProperty('isPrepared');
    await serve(id);
    await owner.untilState(id, 'live');
    expect(await countOrders(id)).toBe(1);
    expect((await owner.get(id)).readiness).toBeNull();
    const details = (await owner.events(id)).map(({ detail }) => detail);
    expect(details).toEqual([
      'added: waiting for its DNS record',
      'delegated: the certificate is issued while the name points elsewhere',
      'certificate issued',
      'ready: the edges serve the certificate, and the DNS record can be switched',
      'verified: the records point here',
      'live: the edges serve the certificate',
    ]);
  });

  it('keeps an order that is under way when the DNS is switched', async () => {
    const owner = await fixture.tenant();
    const name = fixture.freshName();
    const { id } = await owner.add(name);
    await fixture.check(id, delegated);
    const job = await fixture.worker.nextJob('issue-certificate', id);
    await fixture.check(id, switched);
    await owner.untilState(id, 'verified');
    await sign(job, name);
    await serve(id);
    await owner.untilState(id, 'live');
    expect(await countOrders(id)).toBe(1);
  });

  it('is checked at once when an edge reports a handshake', async () => {
    const owner = await fixture.tenant();
    const { id, name } = await prepared(owner);
    await untilIdle(id);
    await sql`update domains set checked_at = now() - interval '1 hour' where id = ${id}`.execute(fixture.api.db);
    await sql`update domain_work set due_at = now() + interval '1 hour', checked_at = null
      where domain_id = ${id} and kind = 'dns'`.execute(fixture.api.db);
    fixture.api.service(PreparedHandshakes).report([name, 'unknown.example.com']);
    await fixture.check(id, switched);
    await owner.untilState(id, 'verified');
  });

  it('is stopped by its removal as one that is live', async () => {
    const owner = await fixture.tenant();
    const { id, name } = await prepared(owner);
    expect(await routeOf(name)).not.toBeNull();
    expect((await owner.remove(id)).status).toBe(204);
    expect(await routeOf(name)).toBeNull();
    const { rows } = await sql<{ version: bigint | null }>`
      select removed_version as version from domains where id = ${id}`.execute(fixture.api.db);
    expect(rows[0]?.version).not.toBeNull();
    await makeDue(id, 'dns');
    let job = await fixture.worker.nextJob('verify-dns', id);
    // A check from before the removal may wait in the queue.
    while (job.expected.delegation !== null) job = await fixture.worker.nextJob('verify-dns', id);
    expect(job.clearedHost).toMatch(/^[a-z2-7]{20}\.acme\.pets\.localhost$/);
  });

  it('shows that the delegation is gone, and orders nothing more', async () => {
    const owner = await fixture.tenant();
    const { id } = await prepared(owner);
    await fixture.check(id, undelegated);
    await untilIssues(owner, id, ['no_record', 'delegation_lost']);
    expect(await owner.get(id)).toMatchObject({ readiness: { state: 'ready' }, certificate: { nextAttemptAt: null } });
  });
});

describe('a name that another organization serves', () => {
  it('is prepared without a route, and moves with its certificate in one version', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await addVerified(fixture, former, name);
    await sign(await fixture.worker.nextJob('issue-certificate', theirs.id), name);
    const { id } = await next.add(name);
    await fixture.check(id, delegated);
    await sign(await fixture.worker.nextJob('issue-certificate', id), name);
    await untilReadiness(next, id, 'ready');
    expect(await routeOf(name)).toMatchObject({ projectId: former.projectId });

    await fixture.check(id, switched);
    await former.untilState(theirs.id, 'removed');
    expect(await routeOf(name)).toMatchObject({ projectId: next.projectId, serve: { kind: 'site' } });
    expect((await routeOf(name))?.certificateId).not.toBeNull();
    expect(await countOrders(id)).toBe(1);
  });

  it('gets its route at once when the other one removes it', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await addVerified(fixture, former, name);
    const { id } = await next.add(name);
    await fixture.check(id, delegated);
    await sign(await fixture.worker.nextJob('issue-certificate', id), name);
    await untilReadiness(next, id, 'ready');
    await former.remove(theirs.id);
    expect(await routeOf(name)).toBeNull();
    await fixture.check(id, delegated);
    await waitUntil(async () => (await routeOf(name))?.projectId === next.projectId, { timeoutMs: 15_000 });
  });

  it('loses the route of a preparation to one with a later delegation', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const { name } = await prepared(former);
    await prepared(next, name);
    expect(await routeOf(name)).toMatchObject({ projectId: next.projectId });
  });
});

describe('a preparation that takes too long', () => {
  it('ends its renewals with an issue, and begins again with a request of the owner', async () => {
    const { id, name } = await fixture.add(fixture.freshName());
    await fixture.check(id, delegated);
    await sign(await fixture.worker.nextJob('issue-certificate', id), name);
    await serve(id);
    await waitUntil(async () => (await fixture.get(id)).readiness?.state === 'ready', { timeoutMs: 15_000 });
    await sql`update domains set prepared_at = now() - interval '91 days' where id = ${id}`.execute(fixture.api.db);
    await makeDue(id, 'issuance');
    await waitUntil(async () => (await fixture.get(id)).certificate?.nextAttemptAt === null, { timeoutMs: 15_000 });
    expect(issueCodesOf(await fixture.get(id))).toContain('preparation_expired');

    await fixture.click(id, 'verify');
    await fixture.check(id, delegated);
    await waitUntil(async () => (await fixture.get(id)).certificate?.nextAttemptAt !== null, { timeoutMs: 15_000 });
    expect(issueCodesOf(await fixture.get(id))).not.toContain('preparation_expired');
  });

  it('ends the renewals by DNS-01 of a name that has left for 30 days', async () => {
    const owner = await fixture.tenant();
    const { id } = await prepared(owner);
    await fixture.check(id, switched);
    await serve(id);
    await owner.untilState(id, 'live');
    await makeDue(id, 'dns');
    await fixture.check(id, delegated);
    await waitUntil(async () => issueCodesOf(await owner.get(id)).includes('dns_lost'), { timeoutMs: 15_000 });
    await makeDue(id, 'issuance');
    expect((await fixture.worker.nextJob('issue-certificate', id)).methods).toEqual(['dns-01', 'http-01']);
    await sql`update domains set elsewhere_since = now() - interval '31 days' where id = ${id}`.execute(fixture.api.db);
    expect(issueCodesOf(await owner.get(id))).toContain('renewal_stopped');
    await sql`update domain_work set lease_until = null where domain_id = ${id} and kind = 'issuance'`.execute(
      fixture.api.db,
    );
    await makeDue(id, 'issuance');
    expect((await fixture.worker.nextJob('issue-certificate', id)).methods).toEqual(['http-01']);
  });
});
