import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { certificateSteps, type CertificateSteps } from './certificate-steps.js';
import { startDomainFixture, type DomainFixture } from './domain-fixture.js';
import { baseOf, openOrderSteps, orderUrl, type OpenOrderSteps } from './open-order-steps.js';
import { emptyFindings } from './scripted-worker.js';

let fixture: DomainFixture;
let steps: CertificateSteps;
let orders: OpenOrderSteps;

beforeAll(async () => {
  fixture = await startDomainFixture();
  steps = certificateSteps(fixture);
  orders = openOrderSteps(fixture);
});
afterAll(() => fixture.close());

async function attemptsOf(id: string): Promise<number> {
  const { rows } = await sql<{ attempt: number }>`
    select attempt from domain_work where domain_id = ${id} and kind = 'issuance'`.execute(fixture.api.db);
  return rows[0]?.attempt ?? 0;
}

describe('the report of an order that the API has not stored', () => {
  /** Two claims, of which neither gives a job. */
  async function untilDeferred(id: string, attempt: number): Promise<void> {
    await waitUntil(async () => (await attemptsOf(id)) > attempt + 1, { timeoutMs: 15_000, message: 'claims' });
  }

  it('keeps a new order back while its handler fails', async () => {
    const { id, issue } = await fixture.verified();
    await sql`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'unavailable'; end $$`.execute(
      fixture.api.db,
    );
    await sql`
      create trigger failing before update of order_url on certificates for each row execute function fail()`.execute(
      fixture.api.db,
    );
    await orders.report(issue);
    await orders.loseLease(id);
    await untilDeferred(id, issue.attempt);
    await sql`drop trigger failing on certificates`.execute(fixture.api.db);
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

it('a preflight that fails does not change the method of an open order', async () => {
  const { id, issue } = await fixture.verified();
  await orders.order(issue, { method: 'dns-01' });
  const gate = { dns: emptyFindings(issue.expected), caa: null, reachability: [] };
  const failed = { ...baseOf(issue), stage: 'gate', ordered: true, problem: null, gate, order: 'open' } as const;
  await orders.emit('certificate.failed', failed);
  const isApplied = async () => (await fixture.get(id)).issues.some(({ code }) => code === 'dns_lost');
  await waitUntil(isApplied, { message: 'the failure' });
  expect(await steps.next(id)).toMatchObject({ methods: ['dns-01'], order: { url: orderUrl } });
});
