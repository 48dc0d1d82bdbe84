/** The claim of due deliveries reads little, however many deliveries and endpoints there are. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@pets/persistence';
import type { TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import { claimStatement, findDueStatement } from '../../src/events/webhooks/webhook-work.repository.js';
import { startMigratedPostgres } from '../migrated-postgres.js';
import { explainScans, rowsRead } from '../query-plan.js';

const ORGANIZATIONS = 100;
const ENDPOINTS = 20;
/** Deliveries of each endpoint: most have nothing to send, and of one in twenty all are pending. */
const DELIVERIES = Number(process.env['PLAN_DELIVERIES'] ?? 100);

let postgres: TestPostgres;
let db: Database;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  // A busy machine may take its time to make so many rows.
  db = openDatabase({ url: postgres.url, onConnectionError: () => undefined, abortUnresponsive: false });
  await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`
      with organizations as (
        insert into organizations (name, plan) select 'o' || n, 'free' from generate_series(1, ${ORGANIZATIONS}) n
        returning id
      ), endpoints as (
        insert into webhook_endpoints (organization_id, url, event_types)
        select id, 'https://e' || n || '.example.com/', '{pet.created}'
        from organizations, generate_series(1, ${ENDPOINTS}) n returning id, number
      ), secrets as (
        insert into webhook_secrets (endpoint_id, sealed) select id, 'none' from endpoints
      )
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, body, state, due_at, delivered_at)
      select id, 'pet.created', n::text, 1, '{}', s.state, case s.state when 'pending' then now() end,
        case s.state when 'delivered' then now() end
      from endpoints, generate_series(1, ${DELIVERIES}) n,
        lateral (select case when number % 20 = 0 then 'pending' else 'delivered' end as state) s`.execute(tx);
  });
  await sql.raw('vacuum analyze').execute(db);
}, 600_000);
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});

it('the claim scans no table of deliveries, and reads of an endpoint what it may send', async () => {
  const scans = await explainScans(db, findDueStatement([]));
  const deliveries = scans.filter((scan) => scan['Relation Name'] === 'webhook_deliveries');
  expect(deliveries.length).toBeGreaterThan(0);
  for (const scan of deliveries) {
    expect(scan['Node Type']).toMatch(/^Index/);
    expect(rowsRead(scan)).toBeLessThanOrEqual(256);
  }
  const { rows: due } = await findDueStatement([]).execute(db);
  expect(due).toHaveLength((8 * ORGANIZATIONS * ENDPOINTS) / 20);
  const assigned = due.slice(0, 50).map(({ url, ...row }) => ({ ...row, receiver: url }));
  for (const scan of await explainScans(db, claimStatement(assigned)))
    expect([scan['Node Type'], scan['Relation Name'] ?? '']).not.toEqual([
      'Seq Scan',
      expect.stringMatching(/^webhook_/),
    ]);
});
