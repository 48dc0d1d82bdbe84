import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { UnusedKeysRepository, UnusedKeysSweeper } from '../../src/certificates/certificates.sweeper.js';
import { directoryUrl, shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { backgroundTasks } from '../platform/background-tasks.js';
import { emptyFindings, gateOf, matchingFindings, provenFindings } from '../scripted-worker.js';
import { certificateSteps, problems, type CertificateSteps } from './certificate-steps.js';
import { baseOf, openOrderSteps, orderUrl, type OpenOrderSteps } from './open-order-steps.js';

const DAY_MS = 86_400_000;
let fixture: DomainFixture;
let steps: CertificateSteps;
let orders: OpenOrderSteps;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  steps = certificateSteps(fixture);
  orders = openOrderSteps(fixture);
});
afterAll(() => fixture.close());

const emit: OpenOrderSteps['emit'] = (name, event) => orders.emit(name, event);
const base = baseOf;
const order: OpenOrderSteps['order'] = (job, placed) => orders.order(job, placed);
const wait: OpenOrderSteps['wait'] = (job, retryAt) => orders.wait(job, retryAt);
const loseLease: OpenOrderSteps['loseLease'] = (id) => orders.loseLease(id);
const next: OpenOrderSteps['next'] = (id) => orders.next(id);
const codesOf = async (id: string) => (await fixture.get(id)).issues.map(({ code }) => code);

async function verifiedBy(owner: Tenant, name: string): Promise<string> {
  const { id } = await owner.add(name);
  await fixture.check(id, matchingFindings);
  await owner.untilState(id, 'verified');
  return id;
}

describe('an order that the CA has not finished', () => {
  it('is continued by the next attempt with the same request, and is neither a failure nor a new order', async () => {
    const { id, name, issue } = await fixture.verified();
    expect(issue.order).toBeNull();
    await order(issue);
    await wait(issue);
    const second = await next(id);
    expect(second).toMatchObject({
      csrPem: issue.csrPem,
      methods: ['http-01'],
      order: { url: orderUrl, isReadOnly: false },
    });
    expect(second.attempt).toBe(issue.attempt + 1);
    expect(await codesOf(id)).toEqual(['certificate_pending']);
    await wait(second);
    const third = await next(id);
    expect(await steps.rows(id)).toMatchObject([{ attempt: third.attempt, state: 'pending', failureClass: null }]);
    await fixture.sign(third, name);
    await fixture.worker.nextJob('probe-edge', id);
    expect(await steps.rows(id)).toMatchObject([{ state: 'issued', ordered: true }]);
  });

  it('is continued when the job is lost after the order', async () => {
    const { id, issue } = await fixture.verified();
    await order(issue);
    await loseLease(id);
    expect(await next(id)).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl } });
  });

  it('is replaced by one with a new key when the job is lost before the order', async () => {
    const { id, issue } = await fixture.verified();
    await loseLease(id);
    const second = await next(id);
    expect(second.order).toBeNull();
    expect(second.csrPem).not.toBe(issue.csrPem);
    // The late report of the first one is not of the current attempt.
    const late = { method: 'http-01', orderUrl, expires: null, replaces: null } as const;
    await emit('certificate.ordered', { ...base(issue), ...late });
    await order(second);
    expect((await steps.rows(id)).map(({ ordered }) => ordered)).toEqual([false, null]);
  });

  it('is not read before the time that the CA names', async () => {
    const { id, issue } = await fixture.verified();
    await order(issue);
    const retryAt = new Date(Date.now() + 600_000);
    await wait(issue, retryAt.toISOString());
    const dueAt = async () => (await fixture.get(id)).certificate?.nextAttemptAt;
    await waitUntil(async () => (await dueAt()) === retryAt.toISOString(), { message: 'the time of the CA' });
  });

  it('stays open after a failure that passes, and ends with one of the CA', async () => {
    const { id, issue } = await fixture.verified();
    await order(issue);
    const failed = { ...base(issue), method: null, stage: 'finalize', ordered: true, gate: null } as const;
    await emit('certificate.failed', { ...failed, problem: problems.passing, order: 'open' });
    await waitUntil(async () => (await codesOf(id)).includes('ca_unavailable'), { message: 'the failure' });
    const second = await steps.next(id);
    expect(second).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl } });
    await steps.fail(second, 'finalize', problems.user);
    expect((await steps.next(id)).order).toBeNull();
  });

  it('is replaced at once, within the budget, when the CA does not know it any more', async () => {
    const { id, issue } = await fixture.verified();
    await order(issue);
    await wait(issue);
    const second = await next(id);
    const failed = { ...base(second), method: null, stage: 'order', ordered: true, gate: null } as const;
    await emit('certificate.failed', { ...failed, problem: problems.user, order: 'gone' });
    expect((await next(id)).order).toBeNull();
  });

  it('counts without the exemption if the CA did not accept it as a replacement', async () => {
    const { id, name, issue } = await fixture.verified();
    await fixture.sign(issue, name);
    await fixture.worker.nextJob('probe-edge', id);
    const renewal = await steps.next(id);
    expect(renewal.replaces).not.toBeNull();
    await order(renewal);
    expect((await steps.rows(id)).at(-1)).toMatchObject({ replaces: null, isRenewal: true });
  });

  it('keeps its key until a day after its end', async () => {
    const { id, issue } = await fixture.verified();
    await order(issue);
    const sweepIn = (days: number) =>
      new UnusedKeysSweeper(
        new UnusedKeysRepository(fixture.api.db),
        backgroundTasks(createLogger('test', 'silent')),
        () => new Date(Date.now() + days * DAY_MS),
      ).sweep();
    const csr = async () =>
      (
        await sql<{ csr: string }>`select csr_pem as csr from certificates where domain_id = ${id}`.execute(
          fixture.api.db,
        )
      ).rows[0]?.csr;
    await sweepIn(7);
    expect(await csr()).toBe(issue.csrPem);
    await sweepIn(8.1);
    expect(await csr()).toBe('');
    // Nobody could use its certificate, so it is not open any more.
    await orders.loseLease(id);
    expect((await next(id)).order).toBeNull();
  });
});

describe('re-verify with an open order', () => {
  const age = (id: string, minutes: number) =>
    sql`
      with o as (
        update certificates set ordered_at = now() - make_interval(mins => ${minutes}) where domain_id = ${id}
      )
      update domains set generation_began_at = now() - interval '40 minutes' where id = ${id}`.execute(fixture.api.db);

  it.each([
    [20, 'continues it'],
    [31, 'gives it up for a new one'],
  ])('reads it at once, and after %i minutes %s', async (minutes) => {
    const { id, issue } = await fixture.verified();
    await order(issue);
    await wait(issue, new Date(Date.now() + 3_600_000).toISOString());
    await waitUntil(async () => (await codesOf(id)).includes('certificate_pending'), { message: 'the result' });
    await age(id, minutes);
    expect((await fixture.click(id, 'reverify')).status).toBe(202);
    const read = await next(id);
    expect(read).toMatchObject({ generation: issue.generation + 1, order: { url: orderUrl } });
    await wait(read);
    expect((await next(id)).order === null).toBe(minutes > 30);
  });
});

describe('the order of a name that must not get a certificate any more', () => {
  it('is read after the owner has removed it, and its certificate is neither served nor revoked', async () => {
    const owner = await fixture.tenant();
    const name = fixture.freshName();
    const id = await verifiedBy(owner, name);
    const job = await next(id);
    await order(job);
    await owner.remove(id);
    await loseLease(id);
    const read = await next(id);
    expect(read).toMatchObject({ csrPem: job.csrPem, order: { url: orderUrl, isReadOnly: true } });
    await fixture.sign(read, name);
    await steps.untilEnded(read);
    expect((await owner.get(id)).certificate).toBeNull();
    expect(await revocationsOf(id)).toBe(0);
  });

  it('is read after another organization has got the name, and its certificate is stored to be revoked', async () => {
    const [former, other] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const id = await verifiedBy(former, name);
    const job = await next(id);
    await order(job);
    await wait(job, new Date(Date.now() + 3_600_000).toISOString());
    const theirs = await other.add(name);
    await fixture.check(theirs.id, (expected) => provenFindings(expected, theirs.ownership.record?.value ?? ''));
    await former.untilState(id, 'removed');
    const read = await next(id);
    expect(read.order).toEqual({ url: orderUrl, isReadOnly: true });
    await fixture.sign(read, name);
    await steps.untilEnded(read);
    expect(await fixture.worker.nextRevocation(id)).toMatchObject({ directoryUrl, reason: 'cessation_of_operation' });
  });

  it('is reported after the removal, and read', async () => {
    const owner = await fixture.tenant();
    const id = await verifiedBy(owner, fixture.freshName());
    const job = await next(id);
    await owner.remove(id);
    await order(job);
    await loseLease(id);
    const read = await next(id);
    expect(read.order).toEqual({ url: orderUrl, isReadOnly: true });
    // It was never finalized: that is the end.
    const failed = { ...base(read), method: null, stage: 'order', ordered: true, gate: null, problem: null } as const;
    await emit('certificate.failed', { ...failed, order: 'gone' });
    await steps.untilEnded(read);
    const due = async () =>
      (
        await sql<{ due: Date | null }>`
          select due_at as due from domain_work where domain_id = ${id} and kind = 'issuance'`.execute(fixture.api.db)
      ).rows[0]?.due;
    expect(await due()).toBeNull();
  });

  async function revocationsOf(domainId: string): Promise<number> {
    const { rows } = await sql`select from certificate_revocations where domain_id = ${domainId}`.execute(
      fixture.api.db,
    );
    return rows.length;
  }
});

it('a preflight that fails before an order is continued leaves it open', async () => {
  const { id, issue } = await fixture.verified();
  await order(issue);
  const gate = gateOf(emptyFindings(issue.expected));
  const failed = { ...base(issue), method: null, stage: 'gate', ordered: true, problem: null, gate } as const;
  await emit('certificate.failed', { ...failed, order: 'open' });
  await waitUntil(async () => (await codesOf(id)).includes('dns_lost'), { message: 'the failure' });
  expect(await steps.next(id)).toMatchObject({ csrPem: issue.csrPem, order: { url: orderUrl } });
});
