import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AnnouncedAccount, DomainJobs } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { UsableAccounts } from '../../src/certificates/usable-accounts.js';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { certificateSteps, problems, type CertificateSteps } from './certificate-steps.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { plansOfReplica } from '../operations/replica-plans.js';
import { attemptOf } from '../scripted-worker.js';

type IssueJob = DomainJobs['issue-certificate'];

const directoryUrl = 'http://ca.test/dir';
const ACME_ACCOUNTS = `b|${directoryUrl}|share=1`;
const thumbprint = 'B'.repeat(43);
const b: AnnouncedAccount = { name: 'b', directoryUrl, accountUrl: 'http://ca.test/acct/2', thumbprint };
const workerId = randomUUID();

let fixture: DomainFixture;
let steps: CertificateSteps;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: directoryUrl, ACME_ACCOUNTS });
  steps = certificateSteps(fixture);
});
afterAll(() => fixture.close());

const announce = (accounts: readonly AnnouncedAccount[] = [b], worker = workerId) =>
  fixture.api.messaging.events.emit('accounts.announced', { workerId: worker, accounts: [...accounts] });

const usable = async () => (await fixture.api.service(UsableAccounts).list()).map(({ account }) => account);
const untilUsable = (...accounts: string[]) =>
  waitUntil(async () => String(await usable()) === String(accounts), { timeoutMs: 15_000, message: String(accounts) });

const routeOf = (host: string) => new EdgeFeedRepository(fixture.api.db).routeOf(host);
const versionOf = (host: string) => new EdgeFeedRepository(fixture.api.db).versionOf([host]);

/** Verifies names until one is ordered at an account. The orders of the others fail and are not tried again soon. */
async function orderAt(account: string): Promise<IssueJob> {
  for (let tries = 0; tries < 30; tries++) {
    const id = await steps.verify(fixture.freshName());
    const job = await fixture.worker.nextJob('issue-certificate', id);
    if (job.account === account) return job;
  }
  throw new Error(`no order at ${account}`);
}

describe('a second account', () => {
  it('is not used before the workers announce it', async () => {
    expect(await usable()).toEqual(['default']);
    const id = await steps.verify(fixture.freshName());
    expect(await fixture.worker.nextJob('issue-certificate', id)).toMatchObject({ directoryUrl, account: 'default' });
  });

  it('gets its share of the first orders, with routes that name its thumbprint when the job is sent', async () => {
    await announce();
    await untilUsable('default', 'b');
    const jobs: IssueJob[] = [];
    for (let count = 0; count < 24; count++) {
      const name = fixture.freshName();
      const job = await fixture.worker.nextJob('issue-certificate', await steps.verify(name));
      jobs.push(job);
      expect((await routeOf(name))?.challengeThumbprint).toBe(job.account === 'b' ? thumbprint : undefined);
    }
    const ofB = jobs.filter(({ account }) => account === 'b').length;
    expect(ofB).toBeGreaterThan(4);
    expect(ofB).toBeLessThan(20);
  });

  it('keeps its renewals, which name the certificate that they replace, and publish nothing', async () => {
    const job = await orderAt('b');
    const { name } = job.expected;
    await fixture.sign(job, name);
    await steps.untilEnded(job);
    const before = await versionOf(name);
    const renewal = await steps.next(job.domainId);
    expect(renewal).toMatchObject({ account: 'b', replaces: expect.any(String) });
    // The certificate itself was published meanwhile, and nothing after it.
    expect(await versionOf(name)).toBeLessThanOrEqual(before + 1);
    expect((await routeOf(name))?.challengeThumbprint).toBe(thumbprint);
  });

  it('revokes its certificates, and the route returns to the default account with an order there', async () => {
    const job = await orderAt('b');
    const { name } = job.expected;
    await fixture.sign(job, name);
    await steps.untilEnded(job);
    const { rows } = await sql<{ id: string }>`
      insert into certificate_revocations
        (certificate_id, domain_id, directory_url, account, chain_pem, reason, requested_at, expires_at, due_at)
      select id, domain_id, directory_url, account, chain_pem, 'superseded', now(), not_after, now()
      from certificates where domain_id = ${job.domainId} and state = 'issued' returning certificate_id as id`.execute(
      fixture.api.db,
    );
    expect(rows).toHaveLength(1);
    expect(await fixture.worker.nextRevocation(job.domainId)).toMatchObject({ directoryUrl, account: 'b' });
    await announce([]);
    await untilUsable('default');
    expect(await steps.next(job.domainId)).toMatchObject({ account: 'default', replaces: null });
    expect(await routeOf(name)).not.toHaveProperty('challengeThumbprint');
    await announce();
    await untilUsable('default', 'b');
  });

  it('takes over at once when the CA limits the first, which then gets no orders until the time the CA named', async () => {
    const job = await orderAt('default');
    const retryAt = new Date(Date.now() + 60_000).toISOString();
    await steps.fail(job, 'order', { ...problems.accountLimit, retryAt });
    expect(await steps.next(job.domainId)).toMatchObject({ account: 'b' });
    for (let count = 0; count < 8; count++) {
      const id = await steps.verify(fixture.freshName());
      expect(await fixture.worker.nextJob('issue-certificate', id)).toMatchObject({ account: 'b' });
    }
    await sql`update ca_pauses set paused_until = now()`.execute(fixture.api.db);
    await orderAt('default');
  });

  it('while both are limited, orders wait in a queue, and are placed when the pause ends', async () => {
    for (const account of ['default', 'b']) {
      const retryAt = new Date(Date.now() + 3_600_000).toISOString();
      await steps.fail(await orderAt(account), 'order', { ...problems.accountLimit, retryAt });
    }
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(await steps.verify(fixture.freshName()));
    const waiting = async () => {
      const { rows } = await sql`
        select 1 from queued_orders q join domain_work w using (domain_id)
        where w.kind = 'issuance' and w.due_at is null and q.domain_id = any(${ids})`.execute(fixture.api.db);
      return rows.length === ids.length;
    };
    await waitUntil(waiting, { timeoutMs: 15_000, message: 'the orders to wait' });
    const shown = (await fixture.get(ids[0] ?? '')).certificate?.rateLimitedUntil;
    expect(Date.parse(shown ?? '') - Date.now()).toBeGreaterThan(3_000_000);
    expect(await steps.rows(ids[0] ?? '')).toEqual([]);
    await sql`update ca_pauses set paused_until = now() where account = 'b'`.execute(fixture.api.db);
    await sql`update queued_orders set account = 'b'`.execute(fixture.api.db);
    for (const id of ids) expect(await fixture.worker.nextJob('issue-certificate', id)).toMatchObject({ account: 'b' });
    await sql`delete from ca_pauses`.execute(fixture.api.db);
  });

  it('is named by the attempt after one that was reserved when its process died', async () => {
    const { plans } = plansOfReplica(fixture.api.db, { ACME_DIRECTORY_URLS: directoryUrl });
    const job = await orderAt('b');
    const { name } = job.expected;
    // The state after a reservation that was never published nor dispatched.
    await sql`update domains set challenge_thumbprint = null where id = ${job.domainId}`.execute(fixture.api.db);
    await sql`update edge_routes set route = route - 'challengeThumbprint' where host = ${name}`.execute(
      fixture.api.db,
    );
    const next = await steps.next(job.domainId);
    expect(next.account).toBe('b');
    expect((await routeOf(name))?.challengeThumbprint).toBe(thumbprint);
    const rows = await steps.rows(job.domainId);
    expect(rows.map(({ ordered }) => ordered)).toEqual([false, null]);
    // A replica without the account orders elsewhere.
    const subject = { domainId: job.domainId, name, apexName: 'example.com', organizationId: randomUUID() };
    expect((await plans.previewCa([subject])).get(job.domainId)).toEqual({ directoryUrl, account: 'default' });
    expect(attemptOf(next).attempt).toBeGreaterThan(attemptOf(job).attempt);
  });

  it('that is no longer configured gives its waiting orders to others', async () => {
    const id = await steps.verify(fixture.freshName());
    await fixture.worker.nextJob('issue-certificate', id);
    await sql`
      insert into queued_orders (domain_id, organization_id, directory_url, account, rank, virtual_time)
      select id, organization_id, ${directoryUrl}, 'gone', 1, 0 from domains where id = ${id}`.execute(fixture.api.db);
    await sql`update domain_work set due_at = null, lease_until = null where domain_id = ${id} and kind = 'issuance'`.execute(
      fixture.api.db,
    );
    const job = await fixture.worker.nextJob('issue-certificate', id);
    expect(['default', 'b']).toContain(job.account);
  });

  it('is not announced by an old message', async () => {
    await sql`update acme_workers set announced_at = now() + interval '1 minute'`.execute(fixture.api.db);
    await announce([]);
    const { id } = await fixture.add(fixture.freshName());
    await fixture.worker.nextJob('verify-dns', id);
    expect(await usable()).toEqual(['default', 'b']);
  });
});
