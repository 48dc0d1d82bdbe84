import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AddedDomains, Domain } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { emptyFindings, matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

interface Schedule {
  readonly attempt: number;
  readonly applied: number;
  readonly isSettled: boolean;
}

/** The DNS schedule of a domain; settled when no check is due, running or waiting to be applied. */
async function scheduleOf(id: string): Promise<Schedule> {
  const { rows } = await sql<Schedule>`
    select attempt, applied_attempt as applied,
      lease_until is null and applied_attempt = attempt and (due_at is null or due_at > now()) as "isSettled"
    from domain_work where domain_id = ${id} and kind = 'dns'`.execute(fixture.api.db);
  if (rows[0] === undefined) throw new Error('the domain has no DNS schedule');
  return rows[0];
}

async function untilApplied(id: string, attempt: number): Promise<Domain> {
  await waitUntil(async () => (await scheduleOf(id)).applied >= attempt, { timeoutMs: 15_000, message: 'the result' });
  return fixture.get(id);
}

async function live(): Promise<{ id: string; name: string }> {
  const { id, name, issue } = await fixture.verified();
  await fixture.sign(issue, name);
  const { domainId, generation, attempt } = await fixture.worker.nextJob('probe-edge', id);
  const served = { domainId, generation, attempt, leafSha256: '0'.repeat(64) };
  await fixture.api.messaging.events.emit('certificate.served', served);
  await fixture.untilState(id, 'live');
  return { id, name };
}

/** Answers the checks that are due: a click during a check makes another one due. */
async function finishChecks(id: string): Promise<void> {
  while (!(await scheduleOf(id)).isSettled) {
    const { applied } = await scheduleOf(id);
    await fixture.check(id, matchingFindings);
    await waitUntil(async () => (await scheduleOf(id)).applied > applied);
  }
}

/** Lets checks of a settled domain find something, one after the other. @returns the domain after each */
async function checkAgain(id: string, finds: readonly Parameters<DomainFixture['check']>[1][]): Promise<Domain[]> {
  const checked: Domain[] = [];
  for (const find of finds) {
    await waitUntil(async () => (await scheduleOf(id)).isSettled);
    const { attempt } = await scheduleOf(id);
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, find);
    checked.push(await untilApplied(id, attempt + 1));
  }
  return checked;
}

describe('polling', () => {
  it('is slow for names of a large batch, until somebody asks for one', async () => {
    const { api, key, projectId, worker } = fixture;
    const domains = Array.from({ length: 11 }, () => ({ name: fixture.freshName() }));
    const path = `/v1/projects/${projectId}/domains:batch`;
    const { body } = await api.request<AddedDomains>('POST', path, { key, body: { domains } });
    const id = body.results[3]?.id ?? '';
    const pauseOf = ({ dns }: Domain) => (Date.parse(dns.nextCheckAt ?? '') - Date.parse(dns.checkedAt ?? '')) / 1_000;
    await fixture.check(id, emptyFindings);
    const first = await untilApplied(id, 1);
    expect(pauseOf(first)).toBeGreaterThan(590);
    expect(first.dns.requestedAt).toBe(first.createdAt);

    await fixture.click(id, 'verify');
    await fixture.check(id, emptyFindings);
    expect(pauseOf(await untilApplied(id, 2))).toBeLessThan(10);
    for (const { id: other } of body.results)
      if (other !== null && other !== id) await worker.nextJob('verify-dns', other);
  });

  it('applies a result while the project of another result is locked', async () => {
    const other = await fixture.tenant();
    const [free, busy] = [await other.add(fixture.freshName()), await fixture.add(fixture.freshName())];
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locking = fixture.api.db.transaction().execute(async (tx) => {
      await sql`select from projects where id = ${fixture.projectId} for update`.execute(tx);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    await fixture.check(busy.id, emptyFindings);
    const waiting = sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%"projects"%'`;
    await waitUntil(async () => (await waiting.execute(fixture.api.db)).rows.length > 0, { timeoutMs: 15_000 });
    await fixture.check(free.id, matchingFindings);
    await other.untilState(free.id, 'verified');
    expect(await scheduleOf(busy.id)).toMatchObject({ applied: 0 });
    release.resolve();
    await locking;
    await untilApplied(busy.id, 1);
  });

  it('continues automatically for 48 hours after the last click, then only on a click', async () => {
    const { id } = await fixture.add(fixture.freshName());
    await fixture.check(id, emptyFindings);
    const polled = await untilApplied(id, 1);
    expect(new Date(polled.dns.nextCheckAt ?? 0) > new Date(polled.dns.checkedAt ?? 0)).toBe(true);

    await sql`update domains set requested_at = now() - interval '48 hours' where id = ${id}`.execute(fixture.api.db);
    await fixture.check(id, emptyFindings);
    expect((await untilApplied(id, 2)).dns.nextCheckAt).toBeNull();

    await fixture.click(id, 'verify');
    await fixture.check(id, emptyFindings);
    expect((await untilApplied(id, 3)).dns.nextCheckAt).not.toBeNull();
  });

  it('combines concurrent clicks into one check, and one more for clicks during the check', async () => {
    const { id } = await fixture.verified();
    await waitUntil(async () => (await scheduleOf(id)).isSettled);
    const before = await scheduleOf(id);
    const clicks = await Promise.all(Array.from({ length: 10 }, () => fixture.click(id, 'verify')));
    expect(clicks.map(({ status }) => status)).toEqual(Array<number>(10).fill(202));
    await finishChecks(id);
    const checks = (await scheduleOf(id)).attempt - before.attempt;
    expect([1, 2]).toContain(checks);
  });
});

describe('a domain that is served', () => {
  it('is checked again within the hour, each at a different time', async () => {
    const domains = await Promise.all([1, 2, 3].map(() => live()));
    for (const { id } of domains) await finishChecks(id);
    const pauses = await Promise.all(
      domains.map(
        async ({ id }) => (new Date((await fixture.get(id)).dns.nextCheckAt ?? 0).getTime() - Date.now()) / 60_000,
      ),
    );
    for (const pause of pauses) {
      expect(pause).toBeGreaterThan(44);
      expect(pause).toBeLessThanOrEqual(60);
    }
    expect(new Set(pauses).size).toBe(3);
  });

  it('is not written when a check finds nothing new, and shows when it was checked', async () => {
    const { id } = await live();
    await sql`update domains set requested_at = now() - interval '1 hour' where id = ${id}`.execute(fixture.api.db);
    await waitUntil(async () => (await scheduleOf(id)).isSettled);
    const { rows } = await sql<{ version: string }>`
      select xmin || ' ' || ctid as version from domains where id = ${id}`.execute(fixture.api.db);
    const [first, ...later] = await checkAgain(id, [matchingFindings, matchingFindings]);
    const written = await sql`select xmin || ' ' || ctid as version from domains where id = ${id}`.execute(
      fixture.api.db,
    );
    expect(written.rows).toEqual(rows);
    for (const { dns } of later) expect((dns.checkedAt ?? '') > (first?.dns.checkedAt ?? '')).toBe(true);

    // A version before this one writes the time of its checks to the domain.
    const checkedAt = new Date(Date.now() + 1_000).toISOString();
    await sql`update domains set checked_at = ${checkedAt} where id = ${id}`.execute(fixture.api.db);
    expect((await fixture.get(id)).dns.checkedAt).toBe(checkedAt);

    const [lost] = await checkAgain(id, [emptyFindings]);
    expect(lost?.issues.map(({ code }) => code)).toContain('dns_lost');
  });

  it('is misconfigured after three misses in a row, stays served, and recovers automatically', async () => {
    const { id, name } = await live();
    const [lost, found] = [emptyFindings, matchingFindings];
    const checked = await checkAgain(id, [lost, lost, found, lost, lost, lost]);
    expect(checked.map(({ misconfigured }) => misconfigured)).toEqual([false, false, false, false, false, true]);
    expect((await fixture.get(id)).state).toBe('live');
    const { rows } = await sql`
      select from edge_routes where host = ${name} and route->'serve' is not null`.execute(fixture.api.db);
    expect(rows).toHaveLength(1);
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, matchingFindings);
    await waitUntil(async () => !(await fixture.get(id)).misconfigured);
  });
});
