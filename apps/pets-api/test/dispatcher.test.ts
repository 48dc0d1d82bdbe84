import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@pets/persistence';
import { waitUntil, type TestPostgres } from '@pets/testing';
import { claimDueStatement, WorkRepository } from '../src/domains/dispatch/work.repository.js';
import { startTestApi, type TestApi } from './harness.js';
import { startMigratedPostgres } from './migrated-postgres.js';
import { explainScans, rowsRead } from './query-plan.js';
import { attemptOf, matchingFindings, startScriptedWorker, type ScriptedWorker } from './scripted-worker.js';

const WAITING = 100_000;
const DUE = 300;

describe('the rows of the dispatcher', () => {
  let postgres: TestPostgres;
  let db: Database;

  beforeAll(async () => {
    postgres = await startMigratedPostgres();
    // A busy machine may take its time to make so many rows.
    db = openDatabase({ url: postgres.url, onConnectionError: () => undefined, abortUnresponsive: false });
    await db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql.raw(seed).execute(tx);
    });
    await sql.raw('analyze').execute(db);
  });
  afterAll(async () => {
    await db.destroy();
    await postgres.stop();
  });

  it('are read by the index of what is due, however many wait', async () => {
    // Rolled back, so that the rows are still due for the next test.
    const scans = await db.transaction().execute(async (tx) => {
      const found = await explainScans(tx, claimDueStatement(500));
      await sql`update domain_work set lease_until = null where lease_until is not null`.execute(tx);
      return found;
    });
    const due = scans.filter((scan) => scan['Index Name'] === 'domain_work_due');
    expect(due).toHaveLength(1);
    expect(rowsRead(due[0])).toBe(DUE);
    for (const scan of scans) {
      expect([scan['Node Type'], scan['Relation Name']]).not.toEqual(['Seq Scan', 'domain_work']);
      expect(rowsRead(scan)).toBeLessThanOrEqual(DUE);
    }
  });

  it('are all released by one statement, each to be claimed again under a new attempt', async () => {
    const work = new WorkRepository(db);
    const claims = await work.claimDue(500);
    expect(claims).toHaveLength(DUE);
    expect(await work.claimDue(500)).toEqual([]);
    await work.release(claims, 0);
    const again = await work.claimDue(500);
    expect(again).toHaveLength(DUE);
    const attemptOfEach = new Map(claims.map(({ domainId, attempt }) => [domainId, attempt]));
    expect(again.every(({ domainId, attempt }) => attempt === (attemptOfEach.get(domainId) ?? 0) + 1)).toBe(true);
  });
});

describe('issuance without an ACME account', () => {
  let api: TestApi;
  let worker: ScriptedWorker;

  beforeAll(async () => {
    api = await startTestApi();
    worker = startScriptedWorker(api.messaging);
  });
  afterAll(async () => {
    await worker.close();
    await api.close();
  });

  it('is put by, not tried over and over, and taken up when there is one', async () => {
    const id = await addVerified();
    const issuance = async () => {
      const { rows } = await sql<{ attempt: number; isPutBy: boolean }>`
        select attempt, claimed_at is null and lease_until > now() + interval '1 minute' as "isPutBy"
        from domain_work where domain_id = ${id} and kind = 'issuance'`.execute(api.db);
      return rows[0];
    };
    await waitUntil(async () => (await issuance())?.isPutBy === true, { timeoutMs: 15_000, message: 'to be put by' });
    expect(await issuance()).toEqual({ attempt: 1, isPutBy: true });
    await api.messaging.events.emit('account.ready', {
      directoryUrl: 'http://ca.test/dir',
      accountUrl: 'http://ca.test/acct/1',
      thumbprint: 'thumb',
    });
    expect(await worker.nextJob('issue-certificate', id)).toMatchObject({ attempt: 2 });
  });

  async function addVerified(): Promise<string> {
    const { organizationId } = await api.createOrganization('pro');
    const { rows } = await sql<{ id: string }>`
      with project as (
        insert into projects (organization_id, name, slug) values (${organizationId}, 'P', 'dispatched') returning id
      ), claim as (
        insert into domain_claims (organization_id, name, target_token, ownership_token)
        values (${organizationId}, 'docs.example.com', 't1', 'o1')
      )
      insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at)
      select ${organizationId}, id, 'docs.example.com', 'docs.example.com', 'example.com', now(), now() from project
      returning id`.execute(api.db);
    const id = rows[0]?.id ?? '';
    await sql`insert into domain_work (domain_id, kind, due_at) values (${id}, 'dns', now())`.execute(api.db);
    const job = await worker.nextJob('verify-dns', id);
    await api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: matchingFindings(job.expected) });
    return id;
  }
});

/** A hundred thousand domains whose turn has not come, and a few whose has. */
const seed = `
  with organization as (insert into organizations (name, plan) values ('Many', 'pro') returning id),
  project as (insert into projects (organization_id, name, slug) select id, 'Many', 'many' from organization returning *),
  names as (select 'd' || n || '.example.com' as name, 't' || n as token, n from generate_series(1, ${WAITING + DUE}) n),
  claims as (
    insert into domain_claims (organization_id, name, target_token, ownership_token)
    select o.id, name, token, token from names, organization o
  ), added as (
    insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at)
    select p.organization_id, p.id, n.name, n.name, 'example.com', now(), now() from names n, project p returning id, name
  )
  insert into domain_work (domain_id, kind, due_at)
  select a.id, 'dns', now() + case when n.n <= ${DUE} then interval '-1 second' else interval '1 hour' end
  from added a join names n using (name)`;
