import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { notify, openDatabase, type Database } from '@pets/persistence';
import { waitUntil, type TestPostgres } from '@pets/testing';
import type { WorkLane } from '@pets/domains';
import { claimStatement } from '../../src/schedule/claim.query.js';
import { DueQueues, DueWorkRepository } from '../../src/schedule/due-work.repository.js';
import { WorkRepository } from '../../src/schedule/work.repository.js';
import { startTestApi, type TestApi } from '../harness.js';
import { startMigratedPostgres } from '../migrated-postgres.js';
import { explainScans, rowsRead } from '../query-plan.js';
import { attemptOf, matchingFindings, startScriptedWorker, type ScriptedWorker } from '../scripted-worker.js';

const never = new AbortController().signal;

describe('the claim of due work', () => {
  let postgres: TestPostgres;
  let db: Database;
  /** One tenant has very many due names, of which each test leaves most; another few. */
  let [flood, other]: string[] = [];

  beforeAll(async () => {
    postgres = await startMigratedPostgres();
    // A busy machine may take its time to make so many rows.
    db = openDatabase({ url: postgres.url, onConnectionError: () => undefined, abortUnresponsive: false });
    flood = await seed('flood', { later: 80_000, due: 20_000 });
    other = await seed('other', { later: 100, due: 5 });
    await sql.raw('vacuum analyze').execute(db);
  });
  afterAll(async () => {
    await db.destroy();
    await postgres.stop();
  });

  it('reads only the rows that it leases, however many are due or wait', async () => {
    const share = (organizationId = '') => ({
      queue: { kind: 'dns', priority: 3, organizationId } as const,
      from: new Date(0),
      limit: 50,
    });
    // Rolled back, so that the rows are still due for the next test.
    const scans = await inRolledBack((tx) => explainScans(tx, claimStatement([share(flood), share(other)])));
    const due = scans.filter((scan) => scan['Index Name'] === 'domain_work_ready');
    expect(due).toHaveLength(1);
    expect(rowsRead(due[0])).toBeLessThanOrEqual(50);
    for (const scan of scans) {
      expect([scan['Node Type'], scan['Relation Name']]).not.toEqual(['Seq Scan', 'domain_work']);
      expect(rowsRead(scan)).toBeLessThanOrEqual(100);
    }
  });

  it('reads only the rows that it leases of a small table, too', async () => {
    const share = {
      queue: { kind: 'dns', priority: 3, organizationId: flood ?? '' } as const,
      from: new Date(0),
      limit: 250,
    };
    const scans = await inRolledBack(async (tx) => {
      await sql`delete from domain_work where domain_id in (select domain_id from domain_work limit 80000)`.execute(tx);
      await sql`analyze domain_work`.execute(tx);
      return explainScans(tx, claimStatement([share]));
    });
    for (const scan of scans)
      expect([scan['Node Type'], scan['Relation Name']]).not.toEqual(['Seq Scan', 'domain_work']);
  });

  it('takes from each organization in turn, and work that a person waits for first', async () => {
    const replica = await startReplica();
    expect(await replica.claimed('checks', 20)).toEqual({ flood: 15, other: 5 });
    expect(await replica.claimed('checks', 20)).toEqual({ flood: 20 });
    // A click in the middle of the flood.
    const { rows } = await sql<{ id: string }>`
      select domain_id as id from domain_work where organization_id = ${other} limit 1`.execute(db);
    const cause = { isRequested: true, hasCertificate: true, hasAlert: false };
    await db
      .transaction()
      .execute((tx) => replica.work.schedule(tx, rows[0]?.id ?? '', { dns: { dueAt: new Date() } }, cause));
    await sql`update domain_work set lease_until = null where domain_id = ${rows[0]?.id}`.execute(db);
    expect(await replica.claimed('requested', 20)).toEqual({ other: 1 });
  });

  it('finds rows that another process has scheduled, and those whose lease has ended', async () => {
    const replica = await startReplica();
    await sql`update domain_work set due_at = now() - interval '1 second', lease_until = now() - interval '1 second' where organization_id = ${other}`.execute(
      db,
    );
    const restarted = await startReplica();
    expect((await restarted.claimed('requested', 200))['other']).toBe(1);
    expect(await replica.claimed('requested', 200)).toEqual({});
  });

  it('does not read again what was done since an old transaction began', async () => {
    const [opened, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const snapshot = db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
        await sql`select 1`.execute(tx);
        opened.resolve();
        await ended.promise;
      });
    await opened.promise;
    const replica = await startReplica();
    const lane = replica.queues.lane('checks');
    for (let done = 0; done < 10_000; done += 500) {
      const { claims } = await replica.claim('checks', 500);
      const finished = claims.map((attempt) => ({ kind: attempt.kind, attempt, next: { dueAt: inAnHour() } }));
      await db.transaction().execute((tx) => replica.work.finishAll(tx, finished));
    }
    const shares = lane.next(50, new Date());
    const buffers = await inRolledBack((tx) => buffersOf(tx, claimStatement(shares)));
    const fromTheBeginning = shares.map((share) => ({ ...share, from: new Date(0) }));
    const all = await inRolledBack((tx) => buffersOf(tx, claimStatement(fromTheBeginning)));
    ended.resolve();
    await snapshot;
    expect(all).toBeGreaterThan(10_000);
    expect(buffers).toBeLessThan(3_000);
  });

  it('is released by one statement, to be claimed again under a new attempt', async () => {
    const replica = await startReplica();
    const { claims } = await replica.claim('checks', 300);
    expect(claims).toHaveLength(300);
    await replica.work.release(claims, 0);
    const { claims: again } = await replica.claim('checks', 300);
    const attemptOfEach = new Map(claims.map(({ domainId, attempt }) => [domainId, attempt]));
    expect(again).toHaveLength(300);
    expect(again.every(({ domainId, attempt }) => attempt === (attemptOfEach.get(domainId) ?? 0) + 1)).toBe(true);
  });

  async function startReplica() {
    const queues = new DueQueues();
    const [work, due] = [new WorkRepository(db, queues), new DueWorkRepository(db, queues)];
    await due.discover(never);
    const claim = async (name: WorkLane, limit: number) => {
      const lane = queues.lane(name);
      const shares = lane.next(limit, new Date());
      const claimed = await due.claim(shares);
      for (const [index, { queue }] of shares.entries()) lane.claimed(queue, claimed.readyAt[index] ?? null);
      return claimed;
    };
    /** How many rows of each organization one round takes. */
    const claimed = async (name: WorkLane, limit: number) => {
      const counts: Record<string, number> = {};
      for (let left = limit; left > 0;) {
        const { claims } = await claim(name, left);
        if (claims.length === 0) break;
        for (const { organizationId } of claims) {
          const organization = organizationId === flood ? 'flood' : 'other';
          counts[organization] = (counts[organization] ?? 0) + 1;
        }
        left -= claims.length;
      }
      return counts;
    };
    return { queues, work, due, claim, claimed };
  }

  async function inRolledBack<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    const failure = new Error('rolled back');
    let result: T | undefined;
    const transaction = db.transaction().execute(async (tx) => {
      result = await work(tx);
      throw failure;
    });
    await expect(transaction).rejects.toBe(failure);
    return result as T;
  }

  /** @returns the id of a new organization with so many domains */
  async function seed(name: string, { later, due }: { later: number; due: number }): Promise<string> {
    return db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      const { id } = await tx
        .insertInto('organizations')
        .values({ name, plan: 'pro' })
        .returning('id')
        .executeTakeFirstOrThrow();
      await sql`
        with project as (insert into projects (organization_id, name, slug) values (${id}, ${name}, ${name}) returning id),
        names as (select ${name} || n || '.example.com' as name, n from generate_series(1, ${later + due}::integer) n),
        claims as (
          insert into domain_claims (organization_id, name, target_token, ownership_token)
          select ${id}, name, name, name from names
        ), added as (
          insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at)
          select ${id}, p.id, n.name, n.name, 'example.com', now(), now() from names n, project p returning id, name
        )
        insert into domain_work (domain_id, organization_id, priority, kind, due_at)
        select a.id, ${id}, 3, 'dns', now() + case when n.n <= ${due} then interval '-1 hour' * random() else interval '1 hour' end
        from added a join names n using (name)`.execute(tx);
      return id;
    });
  }
});

async function buffersOf(db: Database, statement: ReturnType<typeof claimStatement>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
    explain (analyze, buffers, format json) ${statement}`.execute(db);
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  return (plan?.['Shared Hit Blocks'] ?? Number.NaN) + (plan?.['Shared Read Blocks'] ?? Number.NaN);
}

function inAnHour(): Date {
  return new Date(Date.now() + 60 * 60 * 1_000);
}

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
    await sql`insert into domain_work (domain_id, kind, due_at, organization_id, priority)
      values (${id}, 'dns', now(), ${organizationId}, 3)`.execute(api.db);
    await notify(api.db, 'domain_work');
    const job = await worker.nextJob('verify-dns', id);
    await api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: matchingFindings(job.expected) });
    return id;
  }
});
