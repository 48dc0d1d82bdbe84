import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestCa, waitUntil, type TestCa } from '@pets/testing';
import { sql } from 'kysely';
import { OwnCertificateLoops } from '../../src/domains/own-certificates/own-certificate-changes.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { ownCertificateSteps } from './own-certificate-steps.js';

const DAY_MS = 86_400_000;

let fixture: DomainFixture;
let steps: ReturnType<typeof ownCertificateSteps>;
let ca: TestCa;
/** How far the clock of uploaded certificates is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, {}, () => new Date(Date.now() + aheadMs));
  steps = ownCertificateSteps(fixture);
  ca = await (await createTestCa()).issueCa('Test Issuing CA');
});
afterAll(() => fixture.close());

/** How many lists of the organization are leased. */
async function leasedChecks(): Promise<number> {
  const { rows } = await sql<{ leased: number }>`
    select count(*)::integer as leased from certificates where check_leased_until > now()`.execute(fixture.api.db);
  return rows[0]?.leased ?? 0;
}

const crlUrls = ['http://crl.example/ca.crl'];

const issued = () => steps.issued();

const untilEnded = (id: string) =>
  waitUntil(async () => (await steps.get(id)).source === 'automatic', { timeoutMs: 15_000, message: 'automatic' });

async function report(id: string, result: 'good' | 'revoked' | 'unknown', detail: string | null = null) {
  const { certificateId, domainId, attempt } = await fixture.worker.nextRevocationCheck(id);
  await fixture.api.messaging.events.emit('revocation_list.checked', {
    certificateId,
    domainId,
    attempt,
    result,
    detail,
  });
}

describe('the revocation list of an uploaded certificate', () => {
  it('is read before visitors get it', async () => {
    const { id, name } = await issued();
    const before = await steps.routedId(name);
    const leaf = await ca.issue({ names: [name], crlUrls });
    const { body } = await steps.upload(id, leaf);
    expect(body).toMatchObject({ source: 'automatic', own: { state: 'checking', isServed: false } });
    expect(await steps.routedId(name)).toBe(before);
    const job = await fixture.worker.nextRevocationCheck(id);
    expect(job).toMatchObject({ urls: crlUrls, serialNumber: leaf.serialNumber });
    expect(new X509Certificate(Buffer.from(job.issuer, 'base64url')).subject).toBe('CN=Test Issuing CA');
    const { certificateId, domainId, attempt } = job;
    const event = { certificateId, domainId, attempt, result: 'good', detail: null } as const;
    await fixture.api.messaging.events.emit('revocation_list.checked', event);
    await steps.untilOwn(id, ({ state }) => state === 'active');
    expect((await steps.get(id)).own).toMatchObject({ isServed: true, revocation: { result: 'good' } });
    const { rows } = await sql<{ hours: number }>`
      select extract(epoch from check_due_at - now()) / 3600 as hours from certificates where id = ${certificateId}`.execute(
      fixture.api.db,
    );
    expect(Number(rows[0]?.hours)).toBeGreaterThan(17);
  });

  it('is read for two certificates of an organization at a time, and once for each certificate', async () => {
    const domains = [];
    for (let index = 0; index < 3; index += 1) domains.push(await issued());
    const leaves = await Promise.all(domains.map(({ name }) => ca.issue({ names: [name], crlUrls })));
    const leafOf = (index: number) => leaves[index] as (typeof leaves)[number]; // one for each domain
    for (const [index, { id }] of domains.entries()) await steps.upload(id, leafOf(index));
    const [first, second, third] = domains.map(({ id }) => id) as [string, string, string];
    await waitUntil(async () => (await leasedChecks()) === 2, { timeoutMs: 15_000, message: 'two leases' });
    await report(first, 'good');
    await report(third, 'good');
    await report(second, 'unknown');
    for (const id of [first, second, third]) await steps.untilOwn(id, ({ state }) => state === 'active');
    expect(await leasedChecks()).toBe(0);
    const other = await ca.issue({ names: [domains[0]?.name ?? ''], crlUrls });
    await steps.upload(first, other);
    await report(first, 'good');
    await steps.untilOwn(first, ({ fingerprint, state }) => state === 'active' && fingerprint !== undefined);
    const again = await steps.upload(first, leafOf(0));
    expect(again.body.own).toMatchObject({ state: 'active', revocation: { result: 'good' } });
  });

  it('does not matter if it cannot be read', async () => {
    const { id, name } = await issued();
    await steps.upload(id, await ca.issue({ names: [name], crlUrls }));
    await report(id, 'unknown', 'timed out');
    await steps.untilOwn(id, ({ state }) => state === 'active');
    expect((await steps.get(id)).own?.revocation).toMatchObject({ result: 'unknown', detail: 'timed out' });
  });

  it('keeps a revoked one from visitors, who keep the one that they had', async () => {
    const { id, name } = await issued();
    const { own: first } = (await steps.upload(id, await ca.issue({ names: [name] }))).body;
    await steps.upload(id, await ca.issue({ names: [name], crlUrls }));
    await report(id, 'revoked', 'since 2026-11-01T00:00:00.000Z');
    await steps.untilOwn(id, ({ state }) => state === 'revoked');
    expect(await steps.routedId(name)).toBe(first?.id);
    expect(await steps.get(id)).toMatchObject({ source: 'own', own: { isServed: false } });
    expect(steps.codesOf(await fixture.get(id))).toContain('own_certificate_revoked');
  });

  it('ends a certificate that is revoked later: the automatic one takes its place', async () => {
    const { id, name } = await issued();
    const before = await steps.routedId(name);
    await steps.upload(id, await ca.issue({ names: [name], crlUrls }));
    await report(id, 'good');
    await steps.untilOwn(id, ({ state }) => state === 'active');
    await sql`update certificates set check_due_at = now() - interval '1 second' where domain_id = ${id} and state = 'active'`.execute(
      fixture.api.db,
    );
    await report(id, 'revoked');
    await untilEnded(id);
    expect(await steps.routedId(name)).toBe(before);
    expect(steps.codesOf(await fixture.get(id))).toContain('own_certificate_revoked');
  });
});

describe('the end of an uploaded certificate', () => {
  it('is announced, and the automatic one takes its place an hour before it', async () => {
    const { id, name } = await issued();
    const before = await steps.routedId(name);
    const notAfter = new Date(Date.now() + 20 * DAY_MS);
    await steps.upload(id, await ca.issue({ names: [name], notBefore: new Date(Date.now() - 2 * DAY_MS), notAfter }));
    const loops = fixture.api.service(OwnCertificateLoops);
    await loops.applySteps();
    expect((await steps.get(id)).source).toBe('own');
    aheadMs = 20 * DAY_MS - 3_000_000;
    await loops.applySteps();
    aheadMs = 0;
    expect(await steps.get(id)).toMatchObject({ source: 'automatic', own: { state: 'expired', isServed: false } });
    expect(await steps.routedId(name)).toBe(before);
    expect(steps.codesOf(await fixture.get(id))).toContain('own_certificate_expired');
  });

  it('is warned of once, with an issue and in the history', async () => {
    const { id, name } = await issued();
    const notBefore = new Date(Date.now() - 80 * DAY_MS);
    await steps.upload(id, await ca.issue({ names: [name], notBefore, notAfter: new Date(Date.now() + 5 * DAY_MS) }));
    await sql`update certificates set step_due_at = now() - interval '1 day' where domain_id = ${id} and state = 'active'`.execute(
      fixture.api.db,
    );
    await fixture.api.service(OwnCertificateLoops).applySteps();
    expect(steps.codesOf(await fixture.get(id))).toContain('own_certificate_expiring');
    const { body } = await fixture.api.request<{ type: string }[]>('GET', `${fixture.path()}/${id}/events?limit=100`, {
      key: fixture.key,
    });
    expect(body.filter(({ type }) => type === 'certificate.expiring')).toHaveLength(1);
  });

  it('without an automatic one is the real one, and an order is due', async () => {
    const { id, name } = await fixture.verified();
    await steps.upload(id, await ca.issue({ names: [name], notAfter: new Date(Date.now() + 5 * DAY_MS) }));
    aheadMs = 5 * DAY_MS - 600_000;
    await fixture.api.service(OwnCertificateLoops).applySteps();
    expect((await steps.get(id)).source).toBe('own');
    aheadMs = 5 * DAY_MS + 1_000;
    await fixture.api.service(OwnCertificateLoops).applySteps();
    aheadMs = 0;
    expect(await steps.get(id)).toMatchObject({ source: null, own: { state: 'expired' } });
  });
});
