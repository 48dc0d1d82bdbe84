import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { certificateSteps, problems, type CertificateSteps } from './certificate-steps.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';

const first = 'http://first.test/dir';
const second = 'http://second.test/dir';

let fixture: DomainFixture;
let steps: CertificateSteps;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: `${first},${second}` });
  steps = certificateSteps(fixture);
});
afterAll(() => fixture.close());

async function firstAttempt() {
  const id = await steps.verify(fixture.freshName());
  const job = await fixture.worker.nextJob('issue-certificate', id);
  expect(job.directoryUrl).toBe(first);
  return { id, job };
}

describe('the second CA', () => {
  it('takes over at once when the first one fails, and hands back when both have failed as often', async () => {
    const { id, job } = await firstAttempt();
    await steps.fail(job, 'order', problems.passing);
    const atSecond = await fixture.worker.nextJob('issue-certificate', id);
    expect(atSecond.directoryUrl).toBe(second);
    await steps.fail(atSecond, 'account', problems.passing);
    expect((await steps.next(id)).directoryUrl).toBe(first);
  });

  it('takes over when the first one limits the rate, for as long as that lasts', async () => {
    const { id, job } = await firstAttempt();
    await steps.fail(job, 'order', problems.rate);
    const atSecond = await steps.next(id);
    expect(atSecond.directoryUrl).toBe(second);
    await steps.fail(atSecond, 'order', problems.passing);
    const again = await steps.next(id);
    expect(again.directoryUrl).toBe(second);
    await steps.fail(again, 'order', problems.passing);
    await sql`update certificates set retry_at = now() - interval '1 second' where domain_id = ${id} and directory_url = ${first}`.execute(
      fixture.api.db,
    );
    expect((await steps.next(id)).directoryUrl).toBe(first);
  });

  it('takes over for every name when the first one limits our account, until the time that it named', async () => {
    const { id, job } = await firstAttempt();
    const retryAt = new Date(Date.now() + 3_600_000).toISOString();
    await steps.fail(job, 'order', { ...problems.accountLimit, retryAt });
    expect((await steps.next(id)).directoryUrl).toBe(second);
    const other = await steps.verify(fixture.freshName());
    expect((await fixture.worker.nextJob('issue-certificate', other)).directoryUrl).toBe(second);
    await sql`update ca_pauses set paused_until = now() - interval '1 second'`.execute(fixture.api.db);
    await firstAttempt();
  });

  it('does not help while both limit our account: orders wait for the pause that ends first', async () => {
    const { id, job } = await firstAttempt();
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    await steps.fail(job, 'order', { ...problems.accountLimit, retryAt: inHours(2) });
    await steps.fail(await steps.next(id), 'order', { ...problems.accountLimit, retryAt: inHours(1) });
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(await steps.verify(fixture.freshName()));
    const waiting = async () => {
      const { rows } = await sql`
        select 1 from queued_orders q join domain_work w using (domain_id)
        where w.kind = 'issuance' and w.due_at is null and q.domain_id = any(${ids})
          and q.directory_url = ${second}`.execute(fixture.api.db);
      return rows.length === ids.length;
    };
    await waitUntil(waiting, { timeoutMs: 15_000, message: 'the orders to wait' });
    const shown = (await fixture.get(ids[0] ?? '')).certificate?.rateLimitedUntil;
    expect(Date.parse(shown ?? '') - Date.now()).toBeGreaterThan(3_000_000);
    expect(await steps.rows(ids[0] ?? '')).toEqual([]);
    await sql`update ca_pauses set paused_until = now() - interval '1 second' where directory_url = ${second}`.execute(
      fixture.api.db,
    );
    for (const one of ids) expect((await fixture.worker.nextJob('issue-certificate', one)).directoryUrl).toBe(second);
    await sql`delete from ca_pauses`.execute(fixture.api.db);
  });

  it('gets the orders that wait at a CA that is not configured any more', async () => {
    const { id } = await firstAttempt();
    await sql`
      insert into queued_orders
        (domain_id, organization_id, directory_url, line, apex_name, rank, is_new, virtual_time)
      select id, organization_id, 'http://former.test/dir', '', apex_name, 1, true, 0 from domains where id = ${id}`.execute(
      fixture.api.db,
    );
    await sql`update domain_work set due_at = null, lease_until = null where domain_id = ${id} and kind = 'issuance'`.execute(
      fixture.api.db,
    );
    expect([first, second]).toContain((await fixture.worker.nextJob('issue-certificate', id)).directoryUrl);
  });

  it('is not used after a failure of the owner or of the preflight', async () => {
    const { id, job } = await firstAttempt();
    await steps.fail(job, 'challenge', problems.user);
    const again = await steps.next(id);
    expect(again.directoryUrl).toBe(first);
    await steps.fail(again, 'gate', null);
    expect((await steps.next(id)).directoryUrl).toBe(first);
  });

  it('leaves the next certificate to the first, whose order does not name the certificate of another CA', async () => {
    const { id, job } = await firstAttempt();
    await steps.fail(job, 'order', problems.passing);
    await steps.issue(await steps.next(id));
    expect(await steps.next(id)).toMatchObject({ directoryUrl: first, replaces: null });
  });

  it('is the one that CAA is checked for when it would get the order', async () => {
    const { id, job } = await firstAttempt();
    await steps.fail(job, 'order', problems.passing);
    await steps.makeDue(id, 'reverify');
    expect((await fixture.worker.nextJob('reverify-domain', id)).directoryUrl).toBe(second);
  });

  it('does not delay an order beyond the first CA that is available', async () => {
    const { id, job } = await firstAttempt();
    await steps.fail(job, 'order', problems.rate);
    const soon = new Date(Date.now() + 600_000).toISOString();
    await steps.fail(await steps.next(id), 'order', { ...problems.rate, retryAt: soon });
    await steps.makeDue(id, 'issuance');
    const refusal = async () => (await fixture.get(id)).issues.find(({ evidence }) => evidence.until === soon);
    const isOfSecond = async () => String((await refusal())?.evidence.detail).includes('second.test');
    await waitUntil(isOfSecond, { timeoutMs: 15_000, message: 'the attempt to be put off' });
    expect(await steps.untilRateLimited(id)).toEqual(new Date(soon));
    expect(await steps.rows(id)).toHaveLength(2);
  });
});
