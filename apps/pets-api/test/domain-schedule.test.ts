import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture } from './domain-fixture.js';
import { emptyFindings, matchingFindings } from './scripted-worker.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await startDomainFixture();
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
    while (!(await scheduleOf(id)).isSettled) {
      const { applied } = await scheduleOf(id);
      await fixture.check(id, matchingFindings);
      await waitUntil(async () => (await scheduleOf(id)).applied > applied);
    }
    const checks = (await scheduleOf(id)).attempt - before.attempt;
    expect([1, 2]).toContain(checks);
  });
});

describe('a domain that is served', () => {
  it('is checked again within the hour, each at a different time', async () => {
    const domains = await Promise.all([1, 2, 3].map(() => live()));
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
