import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainHistoryEntry } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { directoryUrl, startDomainWorld, type DomainWorld } from './domain-world.js';
import { createLogger, parseKeyRing } from '@pets/platform';
import { CertificatesRepository } from '../src/domains/certificates/certificates.repository.js';
import { VoidKeysSweeper } from '../src/domains/certificates/void-keys.sweeper.js';
import { ShuttingDown } from '../src/platform/shutting-down.js';
import { certificateSteps, problems } from './certificate-steps.js';
import { attemptOf, matchingFindings, signRequest } from './scripted-worker.js';

let world: DomainWorld;

beforeAll(async () => {
  world = await startDomainWorld();
});
afterAll(() => world.close());

describe('a result', () => {
  it('that is repeated changes nothing', async () => {
    const { id } = await world.add(world.freshName());
    const job = await world.worker.nextJob('verify-dns', id);
    const event = { ...attemptOf(job), findings: matchingFindings(job.expected) };
    await Promise.all([1, 2, 3].map(() => world.api.messaging.events.emit('dns.checked', event)));
    await world.untilState(id, 'verified');
    const issue = await world.worker.nextJob('issue-certificate', id);
    const problem = { type: 'urn:ietf:params:acme:error:serverInternal', detail: 'down', status: 500, retryAt: null };
    await world.failIssuance(issue, problem);
    await waitUntil(async () => (await world.get(id)).issues.length > 0, { timeoutMs: 15_000, message: 'the failure' });
    const { body } = await world.api.request<DomainHistoryEntry[]>('GET', `${world.path()}/${id}/events`, {
      key: world.key,
    });
    expect(body.filter(({ to }) => to === 'verified')).toHaveLength(2);
  });

  it('of an older generation changes nothing', async () => {
    const { id, issue } = await world.verified();
    const stale = { ...attemptOf(issue), generation: 1, directoryUrl, chainPem: await signRequest(issue.csrPem, 'x') };
    await world.api.messaging.events.emit('certificate.issued', stale);
    const fresh = { ...attemptOf(issue), directoryUrl, chainPem: await signRequest(issue.csrPem, 'x') };
    await world.api.messaging.events.emit('certificate.issued', fresh);
    await world.worker.nextJob('probe-edge', id);
    const { rows } = await sql<{
      issued: bigint;
    }>`select count(*) as issued from certificates where domain_id = ${id} and state = 'issued'`.execute(world.api.db);
    expect(rows[0]?.issued).toBe(1n);
  });

  it('that comes after removal changes nothing', async () => {
    const { id, issue } = await world.verified();
    expect((await world.api.request('DELETE', `${world.path()}/${id}`, { key: world.key })).status).toBe(204);
    await world.api.messaging.events.emit('certificate.issued', {
      ...attemptOf(issue),
      directoryUrl,
      chainPem: await signRequest(issue.csrPem, 'x'),
    });
    // A second domain that goes all the way shows that the queue has been worked off.
    await world.verified();
    expect(await world.get(id)).toMatchObject({ state: 'removed', certificate: null });
  });
});

describe('certificates', () => {
  it('make the domain live only once an edge was seen to serve them', async () => {
    const { id, name, issue } = await world.verified();
    await world.api.messaging.events.emit('certificate.issued', {
      ...attemptOf(issue),
      directoryUrl,
      chainPem: await signRequest(issue.csrPem, name),
    });
    const probe = await world.worker.nextJob('probe-edge', id);
    expect(await world.get(id)).toMatchObject({
      state: 'verified',
      certificate: { state: 'issued', issuer: 'Scripted CA' },
    });
    await world.api.messaging.events.emit('certificate.not_served', {
      ...attemptOf(probe),
      seen: [{ edgeId: 'e1', error: 'refused' }],
    });
    const again = await world.worker.nextJob('probe-edge', id);
    await world.api.messaging.events.emit('certificate.served', { ...attemptOf(again), leafSha256: again.leafSha256 });
    await world.untilState(id, 'live');
    expect(await world.get(id)).toMatchObject({ liveAt: expect.any(String), issues: [] });
  });

  it('that fail leave the domain verified, with the reason and the next attempt', async () => {
    const { id, issue } = await world.verified();
    const problem = {
      type: 'urn:ietf:params:acme:error:rateLimited',
      detail: 'too many',
      status: 429,
      retryAt: '2036-01-01T00:00:00.000Z',
    };
    await world.failIssuance(issue, problem);
    await waitUntil(async () => (await world.get(id)).issues.length > 0, { timeoutMs: 15_000, message: 'the failure' });
    expect(await world.get(id)).toMatchObject({
      state: 'verified',
      certificate: { rateLimitedUntil: '2036-01-01T00:00:00.000Z' },
      issues: [{ code: 'ca_rate_limited' }],
    });
  });
});

describe('re-verify', () => {
  it('is refused with the time to wait while the first attempt is under way', async () => {
    const { id } = await world.verified();
    const refused = await world.click(id, 'reverify');
    expect([refused.status, refused.body.code]).toEqual([409, 'reverify_too_early']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1700);
  });

  it('after a failure looks at DNS and CAA, then starts a fresh generation; late results of the old one count for nothing', async () => {
    const { id, name, issue } = await world.verified();
    const problem = { type: null, detail: 'gone', status: null, retryAt: null };
    await world.failIssuance(issue, problem);
    await waitUntil(async () => (await world.click(id, 'reverify')).status === 202, {
      timeoutMs: 15_000,
      message: 're-verify to be allowed',
    });
    const job = await world.worker.nextJob('reverify-domain', id);
    expect(job.generation).toBe(issue.generation + 1);
    await world.api.messaging.events.emit('domain.reverified', {
      ...attemptOf(job),
      findings: matchingFindings(job.expected),
      caa: { kind: 'permits' },
    });
    const fresh = await world.worker.nextJob('issue-certificate', id);
    await world.api.messaging.events.emit('certificate.issued', {
      ...attemptOf(issue),
      directoryUrl,
      chainPem: await signRequest(issue.csrPem, name),
    });
    await world.api.messaging.events.emit('certificate.issued', {
      ...attemptOf(fresh),
      directoryUrl,
      chainPem: await signRequest(fresh.csrPem, name),
    });
    await world.worker.nextJob('probe-edge', id);
    const { rows } = await sql<{
      generation: number;
    }>`select generation from certificates where domain_id = ${id} and state = 'issued'`.execute(world.api.db);
    expect(rows).toEqual([{ generation: fresh.generation }]);
  });
});

describe('keys', () => {
  it('are void a day after they have served their turn, and no others', async () => {
    const steps = certificateSteps(world);
    const renewed = await world.verified();
    await steps.issue(renewed.issue);
    await steps.issue(await steps.next(renewed.id));
    const failing = await world.verified();
    await steps.fail(failing.issue, 'order', problems.passing);
    const removed = await world.verified();
    await steps.issue(removed.issue);
    await world.api.request('DELETE', `${world.path()}/${removed.id}`, { key: world.key });

    const sweepIn = (hours: number) =>
      new VoidKeysSweeper(
        new CertificatesRepository(world.api.db),
        new ShuttingDown(),
        { CERTIFICATE_KEKS: parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`) },
        () => new Date(Date.now() + hours * 3_600_000),
        createLogger('test', 'silent'),
      ).sweep();
    const keysOf = async (id: string) =>
      (
        await sql<{ key: string }>`
          select case when csr_pem = '' and length(sealed_key) < 150 then 'void' else 'kept' end as key
          from certificates where domain_id = ${id} order by attempt`.execute(world.api.db)
      ).rows.map(({ key }) => key);
    expect(await sweepIn(23)).toBe(0);
    expect(await sweepIn(25)).toBeGreaterThanOrEqual(3);
    expect(await Promise.all([renewed.id, failing.id, removed.id].map(keysOf))).toEqual([
      ['void', 'kept'],
      ['void'],
      ['void'],
    ]);
    expect(await sweepIn(25)).toBe(0);
  });
});
