import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { IssuanceOutcomes } from '../../src/certificates/issuance-outcomes.service.js';
import { OpenOrdersRepository } from '../../src/certificates/open-orders.repository.js';
import { certificateSteps, problems, type CertificateSteps } from './certificate-steps.js';
import { directoryUrl, shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { baseOf, failWritesOf, openOrderSteps, orderUrl, type OpenOrderSteps } from './open-order-steps.js';
import { attemptOf, emptyFindings, gateOf, matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;
let steps: CertificateSteps;
let orders: OpenOrderSteps;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  steps = certificateSteps(fixture);
  orders = openOrderSteps(fixture);
});
afterAll(() => fixture.close());

interface Schedule {
  readonly attempt: number;
  readonly dueAt: Date | null;
  readonly isHeld: boolean;
}

async function scheduleOf(id: string): Promise<Schedule> {
  const { rows } = await sql<Schedule>`
    select attempt, due_at as "dueAt", held_due_at is not null as "isHeld"
    from domain_work where domain_id = ${id} and kind = 'issuance'`.execute(fixture.api.db);
  if (rows[0] === undefined) throw new Error('there is no schedule');
  return rows[0];
}

const suspend = (id: string) =>
  sql`
  insert into suspensions (organization_id, project_id, name, cause, reason, since)
  select organization_id, project_id, name, 'operator', 'phishing', now() from domains where id = ${id}`.execute(
    fixture.api.db,
  );

const untilHeld = (id: string) =>
  waitUntil(async () => (await scheduleOf(id)).isHeld, { timeoutMs: 15_000, message: 'the work to be held' });

describe('the report of an order that the API has not stored', () => {
  /** Two claims, of which neither gives a job. */
  async function untilDeferred(id: string, attempt: number): Promise<void> {
    await waitUntil(async () => (await scheduleOf(id)).attempt > attempt + 1, { timeoutMs: 15_000, message: 'claims' });
  }

  it('keeps a new order back while its handler fails', async () => {
    const { id, issue } = await fixture.verified();
    const unlock = await failWritesOf(fixture.api.db, 'certificates', 'order_url');
    try {
      await orders.report(issue);
      await orders.loseLease(id);
      await untilDeferred(id, issue.attempt);
    } finally {
      await unlock();
    }
    expect(await orders.next(id)).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl } });
    expect(await steps.rows(id)).toHaveLength(1);
  });

  it('keeps a new order back while a replica handles it', async () => {
    const { id, issue } = await fixture.verified();
    await fixture.api.db.transaction().execute(async (tx) => {
      await sql`select from certificates where domain_id = ${id} for update`.execute(tx);
      await orders.report(issue);
      await orders.loseLease(id);
      await untilDeferred(id, issue.attempt);
    });
    expect(await orders.next(id)).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl } });
    expect(await steps.rows(id)).toHaveLength(1);
  });
});

describe('an order that has expired', () => {
  const expired = () => ({ expires: new Date(Date.now() - 60_000).toISOString() });

  it('is read a last time, without being finalized, and is then given up and counts', async () => {
    const { id, issue } = await fixture.verified();
    await orders.order(issue, expired());
    await orders.loseLease(id);
    const last = await orders.next(id);
    expect(last).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl, isReadOnly: true } });
    await orders.wait(last);
    const second = await orders.next(id);
    expect(second).toMatchObject({ order: null });
    expect(second.csrPem).not.toBe(issue.csrPem);
    expect(await steps.rows(id)).toMatchObject([
      { state: 'failed', ordered: true, failureStage: 'finalize' },
      { state: 'pending' },
    ]);
  });

  it('gives its certificate if the CA has issued since the read before', async () => {
    const { id, name, issue } = await fixture.verified();
    await orders.order(issue, expired());
    await orders.loseLease(id);
    await fixture.sign(await orders.next(id), name);
    await fixture.worker.nextJob('probe-edge', id);
    expect(await steps.rows(id)).toMatchObject([{ state: 'issued' }]);
  });

  it('is not replaced while the name is suspended', async () => {
    const { id, issue } = await fixture.verified();
    await orders.order(issue, expired());
    await suspend(id);
    await orders.loseLease(id);
    const last = await orders.next(id);
    const failed = { ...baseOf(last), method: null, stage: 'order', ordered: true, gate: null, problem: null } as const;
    await orders.emit('certificate.failed', { ...failed, order: 'gone' });
    await untilHeld(id);
    expect(await steps.rows(id)).toMatchObject([{ state: 'failed', ordered: true }]);
  });
});

describe('an order of a CA that is not configured any more', () => {
  const forgetCa = (id: string) =>
    sql`update certificates set directory_url = 'http://former.test/dir' where domain_id = ${id} and state = 'pending'`.execute(
      fixture.api.db,
    );

  it('is not replaced while the name is suspended', async () => {
    const { id, issue } = await fixture.verified();
    await orders.order(issue);
    await suspend(id);
    await forgetCa(id);
    await orders.loseLease(id);
    await untilHeld(id);
    expect(await steps.rows(id)).toMatchObject([{ state: 'failed', ordered: true }]);
  });

  it('is replaced within the budget', async () => {
    const { id, name, issue } = await fixture.verified();
    await orders.order(issue);
    await steps.seedIssued(id, { name, apexName: 'example.com', directoryUrl, count: 4, hoursAgo: 1 });
    await sql`update certificates set state = 'failed' where domain_id = ${id} and state = 'issued'`.execute(
      fixture.api.db,
    );
    await forgetCa(id);
    await orders.loseLease(id);
    const isPostponed = async () => ((await scheduleOf(id)).dueAt?.getTime() ?? 0) > Date.now() + 3_600_000;
    await waitUntil(isPostponed, { timeoutMs: 15_000, message: 'the next order to be postponed' });
  });
});

describe('an order of a name that gets no certificate now', () => {
  it('is only read while the name is suspended', async () => {
    const { id, name, issue } = await fixture.verified();
    await orders.order(issue);
    await suspend(id);
    await orders.wait(issue);
    const read = await orders.next(id);
    expect(read.order).toEqual({ url: orderUrl, isReadOnly: true });
    await fixture.sign(read, name);
    await steps.untilEnded(read);
  });

  it('is due if nothing else schedules the attempts when it is reported', async () => {
    const { id, issue } = await fixture.verified();
    await sql`update domain_work set due_at = null where domain_id = ${id} and kind = 'issuance'`.execute(
      fixture.api.db,
    );
    await orders.order(issue);
    await orders.loseLease(id);
    expect(await orders.next(id)).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl } });
  });

  it('is read to its end after the removal, however long the CA takes', async () => {
    const owner = await fixture.tenant();
    const { id } = await owner.add(fixture.freshName());
    await fixture.check(id, matchingFindings);
    const job = await orders.next(id);
    await orders.order(job);
    await sql`update certificates set ordered_at = now() - interval '40 minutes' where domain_id = ${id}`.execute(
      fixture.api.db,
    );
    await owner.remove(id);
    await orders.loseLease(id);
    await orders.wait(await orders.next(id));
    await waitUntil(async () => ((await scheduleOf(id)).dueAt?.getTime() ?? 0) > Date.now(), { message: 'the result' });
    await steps.makeDue(id, 'issuance');
    expect((await orders.next(id)).order).toEqual({ url: orderUrl, isReadOnly: true });
  });
});

it('a failure that is handled before the report of its order waits for it', async () => {
  const { id, issue } = await fixture.verified();
  const failed = {
    ...baseOf(issue),
    method: null,
    stage: 'finalize',
    ordered: true,
    gate: null,
    order: 'open',
  } as const;
  await orders.emit('certificate.failed', { ...failed, problem: problems.passing });
  const isDelayed = async () => (await fixture.api.messaging.oldestEvent())?.getTime() === 0;
  await waitUntil(isDelayed, { timeoutMs: 15_000, message: 'the failure to be tried again' });
  await orders.order(issue);
  const isApplied = async () => (await fixture.get(id)).issues.some(({ code }) => code === 'ca_unavailable');
  await waitUntil(isApplied, { timeoutMs: 30_000, message: 'the failure' });
  expect(await steps.next(id)).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl } });
});

it('an attempt that has ended gets no second result, and no other continues its order', async () => {
  const { id, name, issue } = await fixture.verified();
  await orders.order(issue);
  const { rows } = await sql<{ id: string }>`
    update certificates set state = 'failed', ordered = true where domain_id = ${id} returning id`.execute(
    fixture.api.db,
  );
  const failed = {
    ...attemptOf(issue),
    stage: 'finalize',
    ordered: true,
    method: null,
    order: null,
  } as const;
  const failure = { class: 'passing', issues: [], retryAt: null } as const;
  const trigger = await fixture.api.db.transaction().execute((tx) => {
    const subject = { domainId: id, name, apexName: 'example.com' };
    const given = { failure, pausedUntil: null };
    return fixture.api.service(IssuanceOutcomes).failed(tx, subject, failed, given, new Date());
  });
  expect(trigger).toBeNull();
  const taken = await fixture.api
    .service(OpenOrdersRepository)
    .takeOver(rows.map((row) => ({ ...row, ...attemptOf(issue), attempt: issue.attempt + 1 })));
  expect(taken.size).toBe(0);
});

it('a preflight that fails does not change the method of an open order', async () => {
  const { id, issue } = await fixture.verified();
  await orders.order(issue, { method: 'dns-01' });
  const gate = gateOf(emptyFindings(issue.expected));
  const failed = {
    ...baseOf(issue),
    method: null,
    stage: 'gate',
    ordered: true,
    problem: null,
    gate,
    order: 'open',
  } as const;
  await orders.emit('certificate.failed', failed);
  const isApplied = async () => (await fixture.get(id)).issues.some(({ code }) => code === 'dns_lost');
  await waitUntil(isApplied, { message: 'the failure' });
  expect(await steps.next(id)).toMatchObject({ methods: ['dns-01'], order: { url: orderUrl } });
});
