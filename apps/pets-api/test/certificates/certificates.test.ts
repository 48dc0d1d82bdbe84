import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainHistoryEntry } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { UnusedKeysRepository, UnusedKeysSweeper } from '../../src/certificates/certificates.sweeper.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { backgroundTasks } from '../platform/background-tasks.js';
import { attemptOf, matchingFindings, orderOf, signRequest } from '../scripted-worker.js';
import { certificateSteps, problems } from './certificate-steps.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

describe('a result of an attempt', () => {
  it('changes nothing when it is repeated', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const job = await fixture.worker.nextJob('verify-dns', id);
    const event = { ...attemptOf(job), findings: matchingFindings(job.expected) };
    await Promise.all([1, 2, 3].map(() => fixture.api.messaging.events.emit('dns.checked', event)));
    await fixture.untilState(id, 'verified');
    const issue = await fixture.worker.nextJob('issue-certificate', id);
    const problem = { type: 'urn:ietf:params:acme:error:serverInternal', detail: 'down', status: 500, retryAt: null };
    await fixture.failIssuance(issue, problem);
    await waitUntil(async () => (await fixture.get(id)).issues.length > 0, {
      timeoutMs: 15_000,
      message: 'the failure',
    });
    const { body } = await fixture.api.request<DomainHistoryEntry[]>('GET', `${fixture.path()}/${id}/events`, {
      key: fixture.key,
    });
    expect(body.filter(({ to }) => to === 'verified')).toHaveLength(2);
  });

  it('changes nothing when it is of an older generation', async () => {
    const { id, issue } = await fixture.verified();
    const stale = { ...orderOf(issue), generation: 1, chainPem: await signRequest(issue.csrPem, 'x') };
    await fixture.api.messaging.events.emit('certificate.issued', stale);
    const fresh = { ...orderOf(issue), chainPem: await signRequest(issue.csrPem, 'x') };
    await fixture.api.messaging.events.emit('certificate.issued', fresh);
    await fixture.worker.nextJob('probe-edge', id);
    const { rows } = await sql<{
      issued: bigint;
    }>`select count(*) as issued from certificates where domain_id = ${id} and state = 'issued'`.execute(
      fixture.api.db,
    );
    expect(rows[0]?.issued).toBe(1n);
  });

  it('changes nothing after the removal', async () => {
    const { id, issue } = await fixture.verified();
    expect((await fixture.api.request('DELETE', `${fixture.path()}/${id}`, { key: fixture.key })).status).toBe(204);
    await fixture.api.messaging.events.emit('certificate.issued', {
      ...orderOf(issue),
      chainPem: await signRequest(issue.csrPem, 'x'),
    });
    // A second domain that goes all the way shows that the queue has been worked off.
    await fixture.verified();
    expect(await fixture.get(id)).toMatchObject({ state: 'removed', certificate: null });
  });
});

describe('a certificate', () => {
  it('makes the domain live only after a probe has seen it on an edge', async () => {
    const { id, name, issue } = await fixture.verified();
    await fixture.api.messaging.events.emit('certificate.issued', {
      ...orderOf(issue),
      chainPem: await signRequest(issue.csrPem, name),
    });
    const probe = await fixture.worker.nextJob('probe-edge', id);
    expect(await fixture.get(id)).toMatchObject({
      state: 'verified',
      certificate: { state: 'issued', issuer: 'Scripted CA' },
    });
    await fixture.api.messaging.events.emit('certificate.not_served', {
      ...attemptOf(probe),
      seen: [{ edgeId: 'e1', error: 'refused' }],
    });
    const again = await fixture.worker.nextJob('probe-edge', id);
    await fixture.api.messaging.events.emit('certificate.served', {
      ...attemptOf(again),
      leafSha256: again.leafSha256,
    });
    await fixture.untilState(id, 'live');
    expect(await fixture.get(id)).toMatchObject({ liveAt: expect.any(String), issues: [] });
  });

  it('that could not be issued leaves the domain verified, with the reason and the next attempt', async () => {
    const { id, issue } = await fixture.verified();
    const problem = {
      type: 'urn:ietf:params:acme:error:rateLimited',
      detail: 'too many certificates (5) already issued for this exact set of identifiers',
      status: 429,
      retryAt: '2036-01-01T00:00:00.000Z',
    };
    await fixture.failIssuance(issue, problem);
    await waitUntil(async () => (await fixture.get(id)).issues.length > 0, {
      timeoutMs: 15_000,
      message: 'the failure',
    });
    expect(await fixture.get(id)).toMatchObject({
      state: 'verified',
      certificate: { rateLimitedUntil: '2036-01-01T00:00:00.000Z' },
      issues: [{ code: 'ca_rate_limited' }],
    });
  });
});

describe('re-verify', () => {
  it('is refused with the time to wait while the first attempt is running', async () => {
    const { id } = await fixture.verified();
    const refused = await fixture.click(id, 'reverify');
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('reverify_too_early');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1700);
  });

  it('checks DNS and CAA after a failure, then starts a new generation that drops results of the old one', async () => {
    const { id, name, issue } = await fixture.verified();
    const problem = { type: null, detail: 'gone', status: null, retryAt: null };
    await fixture.failIssuance(issue, problem);
    await waitUntil(async () => (await fixture.click(id, 'reverify')).status === 202, {
      timeoutMs: 15_000,
      message: 're-verify to be allowed',
    });
    const job = await fixture.worker.nextJob('reverify-domain', id);
    expect(job.generation).toBe(issue.generation + 1);
    await fixture.api.messaging.events.emit('domain.reverified', {
      ...attemptOf(job),
      findings: matchingFindings(job.expected),
      caa: { kind: 'permits' },
    });
    const fresh = await fixture.worker.nextJob('issue-certificate', id);
    await fixture.api.messaging.events.emit('certificate.issued', {
      ...orderOf(issue),
      chainPem: await signRequest(issue.csrPem, name),
    });
    await fixture.api.messaging.events.emit('certificate.issued', {
      ...orderOf(fresh),
      chainPem: await signRequest(fresh.csrPem, name),
    });
    await fixture.worker.nextJob('probe-edge', id);
    const { rows } = await sql<{
      generation: number;
    }>`select generation from certificates where domain_id = ${id} and state = 'issued'`.execute(fixture.api.db);
    expect(rows).toEqual([{ generation: fresh.generation }]);
  });
});

describe('unused keys', () => {
  it('are deleted a day after their last use, and no others', async () => {
    const steps = certificateSteps(fixture);
    const renewed = await fixture.verified();
    await steps.issue(renewed.issue);
    await steps.issue(await steps.next(renewed.id));
    const failing = await fixture.verified();
    await steps.fail(failing.issue, 'order', problems.passing);
    const removed = await fixture.verified();
    await steps.issue(removed.issue);
    await fixture.api.request('DELETE', `${fixture.path()}/${removed.id}`, { key: fixture.key });

    const sweepIn = (hours: number) =>
      new UnusedKeysSweeper(
        new UnusedKeysRepository(fixture.api.db),
        backgroundTasks(createLogger('test', 'silent')),
        () => new Date(Date.now() + hours * 3_600_000),
      ).sweep();
    const keysOf = async (id: string) =>
      (
        await sql<{ key: string }>`
          select case when csr_pem = '' and length(sealed_key) < 150 then 'void' else 'kept' end as key
          from certificates where domain_id = ${id} order by attempt`.execute(fixture.api.db)
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
