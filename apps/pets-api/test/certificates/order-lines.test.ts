import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { OrderQueue } from '../../src/certificates/order-queue.service.js';
import type { IssuanceAttempt } from '../../src/certificates/issuance-plans.service.js';
import { certificateSteps, letsEncrypt, type CertificateSteps } from './certificate-steps.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { addVerified } from '../domains/verified-domains.js';
import { plansOfReplica } from '../query-plan.js';

/** Two slots at once, and one more each hour; three names below a registered domain in a week. */
const ACME_LIMITS = `${letsEncrypt}|orders=3/3h|registered_domain=3/7d`;
const apexName = 'example.org';
const NAMES = 12;

let fixture: DomainFixture;
let steps: CertificateSteps;
let names: readonly IssuanceAttempt[];
let keeper: string;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_LIMITS });
  steps = certificateSteps(fixture);
  keeper = (await fixture.add('keeper.example.net')).id;
  names = await addVerified(fixture.api, NAMES, apexName);
});
afterAll(() => fixture.close());

const idOf = (index: number) => names[index]?.domainId ?? '';
const allFrom = (index: number) => names.slice(index).map(({ domainId }) => domainId);

const execute = (statement: ReturnType<typeof sql>) => statement.execute(fixture.api.db);
/** The domains that wait in a line, in their order. */
async function lineOf(line: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select domain_id as id from queued_orders where line = ${line} and slot_given_at is null
    order by rank, virtual_time, position`.execute(fixture.api.db);
  return rows.map(({ id }) => id);
}
/** Lets the CA refill so many slots: moves the orders back in time. */
const refill = (slots: number) =>
  execute(sql`update certificates set created_at = created_at - make_interval(hours => ${slots})
    where ordered is distinct from false`);
/** Lets so many orders below the registered domain leave its window, and looks at it. */
async function makeRoom(count: number): Promise<void> {
  await execute(sql`update certificates set created_at = now() - interval '8 days' where id in (
    select id from certificates where apex_name = ${apexName} and created_at > now() - interval '7 days'
    limit ${count})`);
  await execute(sql`update limited_domains set check_at = now() - interval '1 second' where apex_name = ${apexName}`);
}

describe('an order that waits for a slot and for its registered domain', () => {
  it('waits in the line of its registered domain, unless that keeps room for it', async () => {
    const { plans } = plansOfReplica(fixture.api.db, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_LIMITS });
    const { orders, queued, parked } = await plans.reserve(names, 'thumb');
    expect(orders.map(({ attempt }) => attempt.domainId)).toEqual([idOf(0), idOf(1)]);
    expect(queued.map(({ domainId }) => domainId)).toEqual([idOf(2)]);
    expect(parked.map(({ attempt }) => attempt.domainId)).toEqual(allFrom(3));
    expect(await lineOf('')).toEqual([idOf(2)]);
    expect(await lineOf(apexName)).toEqual(allFrom(3));
  });

  it('is not moved by free slots, which go to others', async () => {
    await refill(1);
    await fixture.worker.nextJob('issue-certificate', idOf(2));
    await refill(3);
    const other = await steps.verify('docs.other.com');
    await fixture.worker.nextJob('issue-certificate', other);
    await fixture.api.service(OrderQueue).serve();
    expect(await lineOf(apexName)).toHaveLength(NAMES - 3);
  });

  it('is not moved further than to the line of the CA by room below its registered domain', async () => {
    const used = { name: 'old.example.net', apexName: 'example.net', directoryUrl: letsEncrypt };
    await steps.seedIssued(keeper, { ...used, count: 3, hoursAgo: 0 });
    await makeRoom(2);
    await waitUntil(async () => (await lineOf('')).length === 2, { timeoutMs: 15_000, message: 'two to be admitted' });
    expect(await lineOf('')).toEqual([idOf(3), idOf(4)]);
    expect(await lineOf(apexName)).toHaveLength(NAMES - 5);
    await makeRoom(0);
    await fixture.api.service(OrderQueue).serve();
    expect(await lineOf('')).toHaveLength(2);
    const { rows } = await sql`
      select from domain_work where kind = 'issuance' and due_at is not null
        and domain_id = any(${allFrom(3)})`.execute(fixture.api.db);
    expect(rows).toHaveLength(0);
  });

  it('is placed when there is both', async () => {
    await refill(3);
    await fixture.worker.nextJob('issue-certificate', idOf(3));
    expect(await lineOf('')).toEqual([idOf(4)]);
    expect(await lineOf(apexName)).toHaveLength(NAMES - 5);
  });
});

describe('the owner of a name', () => {
  it('reads one limit at a time: that of the registered domain, and then the place in the line of the CA', async () => {
    await steps.seedIssued(keeper, {
      name: 'a.two.com',
      apexName: 'two.com',
      directoryUrl: letsEncrypt,
      count: 3,
      hoursAgo: 0,
    });
    const id = await steps.verify('docs.two.com');
    await steps.untilRateLimited(id);
    const codes = async () => (await fixture.get(id)).issues.map(({ code }) => code);
    expect(await codes()).toEqual(['ca_rate_limited']);
    await execute(sql`update certificates set created_at = now() - interval '8 days' where id = (
      select id from certificates where apex_name = 'two.com' limit 1)`);
    await execute(sql`update limited_domains set check_at = now() - interval '1 second' where apex_name = 'two.com'`);
    await waitUntil(async () => String(await codes()) === 'certificate_queued', {
      timeoutMs: 15_000,
      message: 'the place in the line of the CA',
    });
    const { certificate, issues } = await fixture.get(id);
    expect(certificate?.rateLimitedUntil).toBe(issues[0]?.evidence.expectedAt);
  });
});
