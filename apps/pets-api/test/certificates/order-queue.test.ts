import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { notify } from '@pets/persistence';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import type { IssuanceAttempt } from '../../src/certificates/issuance-plans.service.js';
import { CA_LINE, nextOrdersStatement } from '../../src/certificates/order-queue.repository.js';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { addVerified } from '../domains/verified-domains.js';
import { explainScans, plansOfReplica, rowsRead } from '../query-plan.js';
import { matchingFindings } from '../scripted-worker.js';
import { certificateSteps, letsEncrypt, type CertificateSteps } from './certificate-steps.js';

/** One slot an hour, so that slots are refilled only when the test wants it. A burst leaves a slot for late arrivals. */
const ACME_LIMITS = `${letsEncrypt}|orders=300/300h|registered_domain=none`;
const BURST = 299;
const WAITING = 10_000;

let fixture: DomainFixture;
let steps: CertificateSteps;
let waiting: readonly IssuanceAttempt[];

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_LIMITS });
  steps = certificateSteps(fixture);
  const keeper = await fixture.add('keeper.example.net');
  const used = { name: 'old.example.net', apexName: 'example.net', directoryUrl: letsEncrypt };
  await steps.seedIssued(keeper.id, { ...used, count: BURST, hoursAgo: 0 });
  waiting = await addVerified(fixture.api, WAITING, 'example.org');
  for (let start = 0; start < WAITING; start += 500) await plans().reserve(waiting.slice(start, start + 500), 'thumb');
});
afterAll(() => fixture.close());

const plans = () => plansOfReplica(fixture.api.db, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_LIMITS }).plans;

/** Lets the CA refill so many slots: moves the orders back in time. */
const refill = (slots: number) =>
  sql`update certificates set created_at = created_at - make_interval(hours => ${slots})
    where ordered is distinct from false`.execute(fixture.api.db);

/** A new name of another organization, and that organization. */
async function firstNameOf(name: string): Promise<{ tenant: Tenant; id: string }> {
  const tenant = await fixture.tenant();
  const { id } = await tenant.add(name);
  await fixture.check(id, matchingFindings);
  return { tenant, id };
}

/** Waits until an order is in the queue and its schedule entry is not due. */
const untilQueued = (domainId: string) =>
  waitUntil(
    async () => {
      const { rows } = await sql`
        select 1 from queued_orders q join domain_work w on w.domain_id = q.domain_id and w.kind = 'issuance'
        where q.domain_id = ${domainId} and q.slot_given_at is null and w.due_at is null`.execute(fixture.api.db);
      return rows.length === 1;
    },
    { timeoutMs: 15_000, message: 'it to wait' },
  );

/** Returns the issue and the certificate that the owner reads. */
const placeOf = async (tenant: Pick<Tenant, 'get'>, id: string) => {
  const { issues, certificate } = await tenant.get(id);
  return { issue: issues.find(({ code }) => code === 'certificate_queued'), certificate };
};

describe('ten thousand orders of one organization that wait', () => {
  it('are not due, and finding the next ones reads no others', async () => {
    const { rows } = await sql<{ due: number }>`
      select count(*)::integer as due from domain_work where kind = 'issuance' and due_at is not null`.execute(
      fixture.api.db,
    );
    expect(rows).toEqual([{ due: 0 }]);
    await sql`analyze queued_orders, domain_work, domains`.execute(fixture.api.db);
    const scans = await explainScans(
      fixture.api.db,
      nextOrdersStatement({ directoryUrl: letsEncrypt, line: CA_LINE }, 5),
    );
    expect(scans.map((scan) => scan['Index Name'])).toContain('queued_orders_line');
    for (const scan of scans) expect(rowsRead(scan)).toBeLessThanOrEqual(5);
  });

  it('are served one by one: a slot that is refilled touches five rows at most', async () => {
    const { db } = fixture.api;
    await refill(1);
    await fixture.worker.nextJob('issue-certificate', idOf(0));
    const { rows } = await sql<{ now: string }>`select pg_current_xact_id()::text as now`.execute(db);
    const since = BigInt(rows[0]?.now ?? 0);
    const left = await count('queued_orders', sql`true`);
    // The orders are moved as well, which is not what is measured: later statements count from here.
    await sql`update certificates set created_at = created_at - interval '1 hour'
      where ordered is distinct from false`.execute(db);
    await fixture.worker.nextJob('issue-certificate', idOf(1));
    const isNewer = sql`xmin::text::bigint > ${since}`;
    const touched =
      (await count('queued_orders', isNewer)) +
      (await count('domain_work', isNewer)) +
      (await count('domains', isNewer)) +
      (await count('certificates', sql`${isNewer} and domain_id = ${idOf(1)}`)) +
      (left - (await count('queued_orders', sql`true`)));
    expect(touched).toBeGreaterThan(0);
    expect(touched).toBeLessThanOrEqual(5);
  });

  it('let the first name of another organization pass within two slots', async () => {
    const { tenant, id } = await firstNameOf('first.other.com');
    await untilQueued(id);
    const { issue, certificate } = await placeOf(tenant, id);
    expect(issue?.message).toMatch(/: [01] orders? (?:is|are) before yours; about (?:\d{1,3} minutes|2 hours)\.$/);
    expect(Date.parse(String(issue?.evidence.expectedAt))).toBeLessThanOrEqual(Date.now() + 2 * 3_600_000);
    expect(certificate?.nextAttemptAt).toBe(issue?.evidence.expectedAt);
    expect(certificate?.rateLimitedUntil).toBe(issue?.evidence.expectedAt);
    await refill(2);
    await fixture.worker.nextJob('issue-certificate', id);
    expect((await placeOf(tenant, id)).issue).toBeUndefined();
  });

  it('are counted for their owner', async () => {
    const last = waiting[WAITING - 1];
    const { db } = fixture.api;
    const { lines } = plansOfReplica(db, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_LIMITS });
    const found = await lines.findPositions(db, [last?.domainId ?? ''], new Date());
    const left = await count('queued_orders', sql`slot_given_at is null`);
    expect(found.get(last?.domainId ?? '')).toMatchObject({ before: left - 1, isMore: false });
  });
});

describe('a place in the queue', () => {
  it('is not lost with the process that gave the slot, nor is the slot', async () => {
    const { db } = fixture.api;
    const { id } = await firstNameOf('lost.other.com');
    await untilQueued(id);
    // The slot was given, the entry was leased, and the process died long ago.
    await sql`update queued_orders set slot_given_at = now() - interval '1 hour' where domain_id = ${id}`.execute(db);
    await sql`update domain_work set due_at = now() - interval '1 second', lease_until = now() - interval '1 second', claimed_at = now(), attempt = attempt + 1
      where domain_id = ${id} and kind = 'issuance'`.execute(db);
    await notify(db, 'domain_work');
    await untilQueued(id);
    expect(await steps.rows(id)).toEqual([]);
    await refill(2);
    await fixture.worker.nextJob('issue-certificate', id);
  });

  it('moves up when the domain before is removed or suspended', async () => {
    const { tenant, id: removed } = await firstNameOf('removed.other.com');
    await untilQueued(removed);
    const { id } = await firstNameOf('behind.other.com');
    await untilQueued(id);
    await tenant.remove(removed);
    await refill(2);
    await fixture.worker.nextJob('issue-certificate', id);
    expect(await count('queued_orders', sql`domain_id = ${removed}`)).toBe(0);
    expect(await steps.rows(removed)).toEqual([]);
  });

  it('goes to the successor of an attempt whose worker died', async () => {
    const { id } = await firstNameOf('died.other.com');
    await untilQueued(id);
    await refill(2);
    await fixture.worker.nextJob('issue-certificate', id);
    expect((await steps.next(id)).directoryUrl).toBe(letsEncrypt);
  });

  it('is served at once when the operator raises the limit', async () => {
    const before = await count('queued_orders', sql`true`);
    await fixture.api.startReplica({ ACME_LIMITS: `${letsEncrypt}|orders=303/303h|registered_domain=none` });
    await waitUntil(async () => (await count('queued_orders', sql`true`)) <= before - 2, {
      timeoutMs: 15_000,
      message: 'the raised limit to be used',
    });
  });
});

const idOf = (index: number): string => waiting[index]?.domainId ?? '';

async function count(table: string, where: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ${sql.table(table)} where ${where}`.execute(fixture.api.db);
  return rows[0]?.count ?? 0;
}
