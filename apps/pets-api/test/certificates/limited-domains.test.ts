import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { OrderQueue } from '../../src/certificates/order-queue.service.js';
import { certificateSteps, letsEncrypt, problems, type CertificateSteps } from './certificate-steps.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { plansOfReplica } from '../query-plan.js';
import { addVerified } from '../domains/verified-domains.js';

const WAITING = 2_000;
const ACME_LIMITS = `${letsEncrypt}|orders=none`;

let fixture: DomainFixture;
let steps: CertificateSteps;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_LIMITS });
  steps = certificateSteps(fixture);
});
afterAll(() => fixture.close());

const count = async (from: ReturnType<typeof sql>) =>
  (await sql<{ count: number }>`select count(*)::integer as count from ${from}`.execute(fixture.api.db)).rows[0]?.count;

const parkedBelow = (apexName: string) => count(sql`queued_orders where line = ${apexName} and slot_given_at is null`);

const look = (apexName: string) =>
  sql`update limited_domains set check_at = now() - interval '1 second' where apex_name = ${apexName}`.execute(
    fixture.api.db,
  );

async function currentTransaction(): Promise<bigint> {
  const { rows } = await sql<{ now: string }>`select pg_current_xact_id()::text as now`.execute(fixture.api.db);
  return BigInt(rows[0]?.now ?? 0);
}

describe('two thousand names below a registered domain at its limit', () => {
  const apexName = 'example.org';

  it('are not due when the CA allows one more, and one of them is released', async () => {
    const keeper = await fixture.add('keeper.example.net');
    const used = { name: 'old.example.org', apexName, directoryUrl: letsEncrypt };
    await steps.seedIssued(keeper.id, { ...used, count: 50, hoursAgo: 24 });
    const names = await addVerified(fixture.api, WAITING, apexName);
    const { plans } = plansOfReplica(fixture.api.db, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_LIMITS });
    for (let start = 0; start < WAITING; start += 500) await plans.reserve(names.slice(start, start + 500), 'thumb');
    expect(await parkedBelow(apexName)).toBe(WAITING);
    expect(await count(sql`domain_work where kind = 'issuance' and due_at is not null`)).toBe(0);

    const since = await currentTransaction();
    await sql`update certificates set created_at = now() - interval '8 days' where id = (
      select id from certificates where apex_name = ${apexName} limit 1)`.execute(fixture.api.db);
    await look(apexName);
    await fixture.worker.nextJob('issue-certificate', names[0]?.domainId ?? '');
    const isNewer = sql`xmin::text::bigint > ${since}`;
    const touched =
      ((await count(sql`domain_work where ${isNewer}`)) ?? 0) +
      ((await count(sql`domains where ${isNewer}`)) ?? 0) +
      ((await count(sql`limited_domains where ${isNewer}`)) ?? 0) +
      ((await count(sql`queued_orders where ${isNewer}`)) ?? 0);
    expect(touched).toBeLessThanOrEqual(5);
    expect(await parkedBelow(apexName)).toBe(WAITING - 1);
  });

  it('are looked at again, and not released, while the limit is used up', async () => {
    await look(apexName);
    const isLater = async () =>
      (await count(sql`limited_domains where apex_name = ${apexName} and check_at > now()`)) === 1;
    await waitUntil(isLater, { timeoutMs: 15_000, message: 'the next look' });
    expect(await parkedBelow(apexName)).toBe(WAITING - 1);
  });

  it('are released together by two replicas only once', async () => {
    await sql`update certificates set created_at = now() - interval '8 days' where id in (
      select id from certificates where apex_name = ${apexName} and state = 'issued'
        and created_at > now() - interval '7 days' limit 3)`.execute(fixture.api.db);
    await look(apexName);
    const service = fixture.api.service(OrderQueue);
    await Promise.all([service.serve(), service.serve(), service.serve()]);
    await waitUntil(async () => (await parkedBelow(apexName)) === WAITING - 4, {
      timeoutMs: 15_000,
      message: 'three to be released',
    });
  });

  it('leave their place when they are removed', async () => {
    await sql`update domains set state = 'removed' where id in (
      select domain_id from queued_orders where line = ${apexName} and slot_given_at is null limit 100)`.execute(
      fixture.api.db,
    );
    await sql`update domains set removed_at = now() where state = 'removed'`.execute(fixture.api.db);
    const before = await parkedBelow(apexName);
    await look(apexName);
    await waitUntil(async () => ((await parkedBelow(apexName)) ?? 0) < (before ?? 0), {
      timeoutMs: 15_000,
      message: 'removed domains to leave',
    });
  });
});

describe('a registered domain that the CA refuses', () => {
  it('is not asked for with its other names, and with one of them when the time is over', async () => {
    const first = await steps.verify('one.refused.com');
    const job = await fixture.worker.nextJob('issue-certificate', first);
    await steps.fail(job, 'order', {
      ...problems.accountLimit,
      detail: 'too many certificates (50) already issued for "refused.com" in the last 168h0m0s',
    });
    const second = await steps.verify('two.refused.com');
    await waitUntil(async () => (await parkedBelow('refused.com')) === 1, { timeoutMs: 15_000, message: 'it to wait' });
    expect((await steps.untilRateLimited(second)).getTime()).toBeGreaterThan(Date.now());
    expect(await steps.rows(second)).toEqual([]);
    expect((await fixture.get(second)).issues).toMatchObject([{ code: 'ca_rate_limited' }]);
    const elsewhere = await steps.verify('docs.accepted.com');
    await fixture.worker.nextJob('issue-certificate', elsewhere);
    await sql`delete from ca_pauses`.execute(fixture.api.db);
    await look('refused.com');
    await fixture.worker.nextJob('issue-certificate', second);
    await waitUntil(async () => (await count(sql`limited_domains where apex_name = 'refused.com'`)) === 0, {
      timeoutMs: 15_000,
      message: 'the registered domain to be forgotten',
    });
  });
});
