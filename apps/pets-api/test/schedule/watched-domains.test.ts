import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { priorities } from '@pets/domains';
import { sql } from 'kysely';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { emptyFindings } from '../scripted-worker.js';

let fixture: DomainFixture;
let owner: Tenant;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
beforeEach(async () => {
  owner = await fixture.tenant();
});
afterAll(() => fixture.close());

const HOUR_SECONDS = 3_600;

/** A domain whose last check began so many seconds ago, and whose next one is in an hour. */
async function checked(seconds: number): Promise<Domain> {
  const domain = await added();
  await plan([domain], seconds);
  return domain;
}

/** A new domain whose first check is under way, and has no result. */
async function added(): Promise<Domain> {
  const domain = await owner.add(fixture.freshName());
  await fixture.worker.nextJob('verify-dns', domain.id);
  return domain;
}

async function plan(
  domains: readonly Domain[],
  seconds: number,
  dueInSeconds = HOUR_SECONDS,
  priority: number = priorities.routine,
): Promise<void> {
  await sql`update domain_work set claimed_at = now() - make_interval(secs => ${seconds}), lease_until = null,
      applied_attempt = attempt, due_at = now() + make_interval(secs => ${dueInSeconds}), priority = ${priority}
    where domain_id = any(${domains.map(({ id }) => id)}) and kind = 'dns'`.execute(fixture.api.db);
}

const watch = ({ id }: Pick<Domain, 'id'>, key = owner.key) =>
  fixture.api.request<Domain>('POST', `${fixture.path(owner.projectId)}/${id}/watch`, { key });

/** Seconds until the next check that the answer names. */
const secondsLeft = ({ dns }: Domain) => (Date.parse(dns.nextCheckAt ?? '') - Date.now()) / 1_000;

describe('a domain that somebody looks at', () => {
  it('is checked at once when the last check began ten seconds ago', async () => {
    const domain = await checked(11);
    const { status, body } = await watch(domain);
    expect(status).toBe(200);
    expect(secondsLeft(body)).toBeLessThan(1);
    await fixture.check(body.id, emptyFindings);
  });

  it('is checked ten seconds after the last check began, however many look', async () => {
    const domain = await checked(4);
    const answers = await Promise.all(Array.from({ length: 20 }, () => watch(domain)));
    const planned = new Set(answers.map(({ body }) => body.dns.nextCheckAt));
    expect(planned.size).toBe(1);
    expect(Math.round(secondsLeft(answers[0]?.body ?? domain))).toBeLessThanOrEqual(6);
    expect(
      (await fixture.api.request('POST', `${fixture.path(owner.projectId)}/${domain.id}/verify`, owner)).status,
    ).toBe(202);
    await fixture.check(domain.id, emptyFindings);
  });

  it('is checked again after the check under way, which may have begun before the record was there', async () => {
    const domain = await checked(11);
    await watch(domain);
    const job = await fixture.worker.nextJob('verify-dns', domain.id);
    const { body } = await watch(domain);
    expect(secondsLeft(body)).toBeGreaterThan(0);
    expect(secondsLeft(body)).toBeLessThanOrEqual(10);
    expect(job.domainId).toBe(domain.id);
  });

  it('keeps an earlier check, its request and the audit log', async () => {
    const domain = await added();
    await plan([domain], 0, 8);
    const { dns } = await owner.get(domain.id);
    expect((await watch(domain)).body.dns).toEqual(dns);
    const { rows } = await sql`select type from audit_events where subject_id = ${domain.id}`.execute(fixture.api.db);
    expect(rows).toEqual([{ type: 'domain.added' }]);
  });

  it('is one of thirty of its organization; others are checked every minute', async () => {
    const others: Domain[] = [];
    while (others.length < 29) others.push(await checked(0));
    const [thirtieth, next] = [await checked(0), await checked(0)];
    // In one statement: the requests that follow are few, so that a slow machine makes them within the time as well.
    await plan([thirtieth, next], 0);
    await plan(others, 0, 10, priorities.watched);
    expect(secondsLeft((await watch(thirtieth)).body)).toBeLessThanOrEqual(10);
    const left = secondsLeft((await watch(next)).body);
    expect(left).toBeGreaterThan(30);
    expect(left).toBeLessThanOrEqual(60);
    // The places of domains that nobody looks at any more are free again.
    await plan(others, 0);
    expect(secondsLeft((await watch(next)).body)).toBeLessThanOrEqual(10);
  });

  it('does not exist after its removal', async () => {
    const removed = await owner.add(fixture.freshName());
    await fixture.api.request('DELETE', `${fixture.path(owner.projectId)}/${removed.id}`, { key: owner.key });
    expect((await watch(removed)).body).toMatchObject({ code: 'not_found' });
  });

  it('may be looked at with a key that may only read, of its organization', async () => {
    const domain = await checked(11);
    const { body: key } = await fixture.api.request<{ key: string }>('POST', '/v1/api-keys', {
      key: owner.key,
      body: { name: 'reader', scopes: ['domains:read'] },
    });
    expect((await watch(domain, key.key)).status).toBe(200);
    const { key: stranger } = await fixture.tenant();
    expect((await watch(domain, stranger)).status).toBe(404);
  });
});
