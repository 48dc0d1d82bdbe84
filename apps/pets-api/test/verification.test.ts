import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { directoryUrl, startDomainWorld, type DomainWorld } from './domain-world.js';
import { attemptOf, emptyFindings, matchingFindings, signRequest } from './scripted-worker.js';

let world: DomainWorld;

beforeAll(async () => {
  world = await startDomainWorld();
});
afterAll(() => world.close());

describe('verification', () => {
  it('stores the diagnosis and looks again by itself', async () => {
    const { id } = await world.add(world.freshName());
    const job = await world.worker.nextJob('verify-dns', id);
    await world.api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: emptyFindings(job.expected) });
    await waitUntil(async () => (await world.get(id)).issues.length > 0, {
      timeoutMs: 15_000,
      message: 'the diagnosis',
    });
    const domain = await world.get(id);
    expect(domain.issues[0]).toMatchObject({
      code: 'no_record',
      remediation: expect.stringContaining(job.expected.targetHost),
    });
    expect(domain.dns.nextCheckAt).not.toBeNull();
    expect((await world.worker.nextJob('verify-dns', id)).attempt).toBe(job.attempt + 1);
  });

  it('keeps the name servers of the zone, also when a later look cannot tell them', async () => {
    const { id, dns } = await world.add(world.freshName());
    expect(dns.nameServers).toEqual([]);
    const nameServers = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'];
    await world.check(id, (expected) => ({ ...emptyFindings(expected), nameServers }));
    await waitUntil(async () => (await world.get(id)).dns.checkedAt !== null, {
      timeoutMs: 15_000,
      message: 'the first check',
    });
    expect((await world.get(id)).dns.nameServers).toEqual(nameServers);
    await world.check(id, matchingFindings);
    await world.untilState(id, 'verified');
    expect((await world.get(id)).dns.nameServers).toEqual(nameServers);
  });

  it('is asked for by a click, which answers 202 at once', async () => {
    const { id } = await world.add(world.freshName());
    const first = await world.worker.nextJob('verify-dns', id);
    const clicked = await world.click<Domain>(id, 'verify');
    expect([clicked.status, clicked.body.dns.requestedAt]).toEqual([202, expect.any(String)]);
    // The look-up under way began before the click, so its "no" does not answer the click.
    await world.api.messaging.events.emit('dns.checked', {
      ...attemptOf(first),
      findings: emptyFindings(first.expected),
    });
    const second = await world.worker.nextJob('verify-dns', id);
    await world.api.messaging.events.emit('dns.checked', {
      ...attemptOf(second),
      findings: matchingFindings(second.expected),
    });
    await world.untilState(id, 'verified');
  });

  it('starts issuance at once, with a request for the name and a key that only the database has, sealed', async () => {
    const { id, name, issue } = await world.verified();
    expect(issue).toMatchObject({ generation: 2, attempt: 1, directoryUrl, expected: { name } });
    const { rows } = await sql<{
      row: string;
    }>`select certificates::text as row from certificates where domain_id = ${id}`.execute(world.api.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain('PRIVATE KEY');
    expect(await signRequest(issue.csrPem, name)).toContain('BEGIN CERTIFICATE');
  });

  it('writes the history in order, without gaps', async () => {
    const { id } = await world.verified();
    const { body } = await world.api.request<DomainHistoryEntry[]>('GET', `${world.path()}/${id}/events`, {
      key: world.key,
    });
    expect(body.map(({ type, from, to }) => [type, from, to])).toEqual([
      ['owner.added', null, 'awaiting_dns'],
      ['dns.checked', 'awaiting_dns', 'verified'],
    ]);
  });

  it('waits while another organization holds the name, with the reason', async () => {
    const { name } = await world.verified();
    const other = await world.api.createOrganization('pro');
    const otherProject = await world.createProject(other.key, true);
    const theirs = (
      await world.api.request<Domain>('POST', world.path(otherProject), { key: other.key, body: { name } })
    ).body;
    expect(theirs.ownership).toMatchObject({ required: true, state: 'pending', record: { type: 'TXT' } });
    const job = await world.worker.nextJob('verify-dns', theirs.id);
    expect(job.expected.ownershipHost).toBe(`_platform-challenge.${name}`);
    await world.api.messaging.events.emit('dns.checked', {
      ...attemptOf(job),
      findings: matchingFindings(job.expected),
    });
    const path = `${world.path(otherProject)}/${theirs.id}`;
    const seen = async () => (await world.api.request<Domain>('GET', path, { key: other.key })).body;
    await waitUntil(async () => (await seen()).issues.length > 0, { timeoutMs: 15_000, message: 'the issues' });
    expect((await seen()).issues.map(({ code }) => code)).toContain('claimed_elsewhere');
    expect((await seen()).state).toBe('awaiting_dns');
  });
});

describe('a job that is lost', () => {
  it('is dispatched again when its lease has run out', async () => {
    const { id } = await world.add(world.freshName());
    const lost = await world.worker.nextJob('verify-dns', id);
    await sql`update domain_work set lease_until = now() where domain_id = ${id}`.execute(world.api.db);
    expect((await world.worker.nextJob('verify-dns', id)).attempt).toBe(lost.attempt + 1);
  });
});
