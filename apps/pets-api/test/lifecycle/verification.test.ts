import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { notify } from '@pets/persistence';
import { waitUntil } from '@pets/testing';
import { directoryUrl, shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { attemptOf, emptyFindings, matchingFindings, signRequest } from '../scripted-worker.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

describe('verification', () => {
  it('stores the diagnosis and checks again automatically', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const job = await fixture.worker.nextJob('verify-dns', id);
    await fixture.api.messaging.events.emit('dns.checked', {
      ...attemptOf(job),
      findings: emptyFindings(job.expected),
    });
    await waitUntil(async () => (await fixture.get(id)).issues.length > 0, {
      timeoutMs: 15_000,
      message: 'the diagnosis',
    });
    const domain = await fixture.get(id);
    expect(domain.issues[0]).toMatchObject({
      code: 'no_record',
      remediation: expect.stringContaining(job.expected.targetHost),
    });
    expect(domain.dns.nextCheckAt).not.toBeNull();
    expect((await fixture.worker.nextJob('verify-dns', id)).attempt).toBe(job.attempt + 1);
  });

  it('keeps the name servers of the zone, even if a later check does not find them', async () => {
    const { id, dns } = await fixture.add(fixture.freshName());
    expect(dns.nameServers).toEqual([]);
    const nameServers = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'];
    await fixture.check(id, (expected) => ({ ...emptyFindings(expected), nameServers }));
    await waitUntil(async () => (await fixture.get(id)).dns.checkedAt !== null, {
      timeoutMs: 15_000,
      message: 'the first check',
    });
    expect((await fixture.get(id)).dns.nameServers).toEqual(nameServers);
    await fixture.check(id, matchingFindings);
    await fixture.untilState(id, 'verified');
    expect((await fixture.get(id)).dns.nameServers).toEqual(nameServers);
  });

  it('is asked for by a click, which answers 202 at once', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const first = await fixture.worker.nextJob('verify-dns', id);
    const clicked = await fixture.click<Domain>(id, 'verify');
    expect(clicked.status).toBe(202);
    expect(clicked.body.dns.requestedAt).toEqual(expect.any(String));
    // The look-up under way began before the click, so its "no" does not answer the click.
    await fixture.api.messaging.events.emit('dns.checked', {
      ...attemptOf(first),
      findings: emptyFindings(first.expected),
    });
    const second = await fixture.worker.nextJob('verify-dns', id);
    await fixture.api.messaging.events.emit('dns.checked', {
      ...attemptOf(second),
      findings: matchingFindings(second.expected),
    });
    await fixture.untilState(id, 'verified');
  });

  it('starts issuance at once, with a request for the name and a key that only the database has, sealed', async () => {
    const { id, name, issue } = await fixture.verified();
    expect(issue).toMatchObject({ generation: 2, attempt: 1, directoryUrl, expected: { name } });
    const { rows } = await sql<{
      row: string;
    }>`select certificates::text as row from certificates where domain_id = ${id}`.execute(fixture.api.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain('PRIVATE KEY');
    expect(await signRequest(issue.csrPem, name)).toContain('BEGIN CERTIFICATE');
  });

  it('writes the history in order, without gaps', async () => {
    const { id } = await fixture.verified();
    const { body } = await fixture.api.request<DomainHistoryEntry[]>('GET', `${fixture.path()}/${id}/events`, {
      key: fixture.key,
    });
    expect(body.map(({ type, from, to }) => [type, from, to])).toEqual([
      ['owner.added', null, 'awaiting_dns'],
      ['dns.checked', 'awaiting_dns', 'verified'],
    ]);
  });

  it('waits while another organization holds the name, with the reason', async () => {
    const { name } = await fixture.verified();
    const other = await fixture.api.createOrganization('pro');
    const otherProject = await fixture.createProject(other.key, true);
    const theirs = (
      await fixture.api.request<Domain>('POST', fixture.path(otherProject), { key: other.key, body: { name } })
    ).body;
    expect(theirs.ownership).toMatchObject({ required: true, state: 'pending', record: { type: 'TXT' } });
    const job = await fixture.worker.nextJob('verify-dns', theirs.id);
    expect(job.expected.ownershipHost).toBe(`_platform-challenge.${name}`);
    await fixture.api.messaging.events.emit('dns.checked', {
      ...attemptOf(job),
      findings: matchingFindings(job.expected),
    });
    const path = `${fixture.path(otherProject)}/${theirs.id}`;
    const seen = async () => (await fixture.api.request<Domain>('GET', path, { key: other.key })).body;
    await waitUntil(async () => (await seen()).issues.length > 0, { timeoutMs: 15_000, message: 'the issues' });
    expect((await seen()).issues.map(({ code }) => code)).toContain('claimed_elsewhere');
    expect((await seen()).state).toBe('awaiting_dns');
  });
});

describe('a job that is lost', () => {
  it('is dispatched again when its lease has run out', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const lost = await fixture.worker.nextJob('verify-dns', id);
    await sql`update domain_work set lease_until = now() - interval '1 second' where domain_id = ${id}`.execute(
      fixture.api.db,
    );
    await notify(fixture.api.db, 'domain_work');
    expect((await fixture.worker.nextJob('verify-dns', id)).attempt).toBe(lost.attempt + 1);
  });
});
