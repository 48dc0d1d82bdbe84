import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certificateKeyBinding } from '@pets/contracts';
import { parseKeyRing, unseal } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import type { IssuanceAttempt } from '../../src/certificates/issuance-plans.service.js';
import { certificateSteps, letsEncrypt, problems, type CertificateSteps } from './certificate-steps.js';
import { plansOfReplica } from '../query-plan.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { attemptOf } from '../scripted-worker.js';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** The longest duration of an attempt, which counts for this much longer. */
const ATTEMPT_MS = 60_000;
/** Between what a row says and what the test reckons. */
const SLACK_MS = 20_000;

/** The API's. */
const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);

let fixture: DomainFixture;
let steps: CertificateSteps;
let keeperId: string;

beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DIRECTORY_URLS: letsEncrypt, ACME_PROFILE: 'tlsserver' });
  steps = certificateSteps(fixture);
  keeperId = (await fixture.add('keeper.example.net')).id;
});
afterAll(() => fixture.close());

/** Adds so many certificates below an apex, issued some hours ago. */
const use = (apexName: string, count: number, hoursAgo: number, name = `old.${apexName}`) =>
  steps.seedIssued(keeperId, { name, apexName, directoryUrl: letsEncrypt, count, hoursAgo });

/** Moves everything that was asked for below an apex back in time. */
const age = (apexName: string, hours: number) =>
  sql`
    update certificates set created_at = created_at - make_interval(hours => ${hours})
    where apex_name = ${apexName}`.execute(fixture.api.db);

async function firstJob(name: string) {
  const id = await steps.verify(name);
  return { id, job: await fixture.worker.nextJob('issue-certificate', id) };
}

/** Requires that the CA gets no order until then, and that the owner sees the time. */
async function expectRefusal(id: string, until: number, attempts: number) {
  const shown = (await steps.untilRateLimited(id)).getTime();
  expect(Math.abs(shown - until)).toBeLessThan(SLACK_MS);
  expect((await steps.rows(id)).filter(({ ordered }) => ordered !== false)).toHaveLength(attempts);
  expect((await fixture.get(id)).issues).toMatchObject([{ code: 'ca_rate_limited' }]);
}

describe('the budget of a CA', () => {
  it('has no fifty-first certificate of a registered domain in a week', async () => {
    await use('fifty.com', 50, 24);
    const id = await steps.verify('docs.fifty.com');
    await expectRefusal(id, Date.now() - 24 * HOUR_MS + WEEK_MS + ATTEMPT_MS, 0);
    await age('fifty.com', 7 * 24);
    expect(await steps.next(id)).toMatchObject({ directoryUrl: letsEncrypt, profile: 'tlsserver', replaces: null });
  });

  it('has no sixth certificate of a name in a week, were it a renewal', async () => {
    await use('six.com', 5, 48, 'docs.six.com');
    const id = await steps.verify('docs.six.com');
    await expectRefusal(id, Date.now() - 48 * HOUR_MS + WEEK_MS + ATTEMPT_MS, 0);
  });

  it('has a renewal of a name under a full registered domain', async () => {
    await use('renewed.com', 50, 24);
    await use('renewed.com', 1, 24 * 60, 'docs.renewed.com');
    const { id } = await firstJob('docs.renewed.com');
    expect(await steps.rows(id)).toMatchObject([{ isRenewal: true, replaces: null }]);
  });

  it('has no attempt after five failures of a name within the hour', async () => {
    const { id, job } = await firstJob('docs.failing.com');
    let last = job;
    for (let failures = 1; failures < 5; failures++) {
      await steps.fail(last, 'challenge', problems.user);
      last = await steps.next(id);
    }
    await steps.fail(last, 'challenge', problems.user);
    await steps.makeDue(id, 'issuance');
    await expectRefusal(id, Date.now() + HOUR_MS + ATTEMPT_MS, 5);
  });

  it('does not count attempts that the preflight refused', async () => {
    await use('gate.com', 49, 24);
    const { job } = await firstJob('one.gate.com');
    const other = await steps.verify('two.gate.com');
    await expectRefusal(other, Date.now() - 24 * HOUR_MS + WEEK_MS + ATTEMPT_MS, 0);
    await steps.fail(job, 'gate', null);
    expect(await steps.next(other)).toMatchObject({ directoryUrl: letsEncrypt });
  });

  it('is not used up by attempts that never report', async () => {
    const { id } = await firstJob('docs.silent.com');
    for (let lost = 1; lost <= 6; lost++) await steps.next(id);
    const rows = await steps.rows(id);
    expect(rows.map(({ ordered }) => ordered)).toEqual([...Array.from({ length: 6 }, () => false), null]);
  });

  it('counts a released attempt when its result arrives late', async () => {
    const { id, job } = await firstJob('docs.late.com');
    await steps.next(id);
    await steps.fail(job, 'challenge', problems.user);
    expect(await steps.rows(id)).toMatchObject([{ ordered: true }, { ordered: null }]);
  });
});

describe('the last orders within the limit of a registered domain', () => {
  const plans = () => plansOfReplica(fixture.api.db, { ACME_DIRECTORY_URLS: letsEncrypt }).plans;

  it('are reserved only once by concurrent replicas', async () => {
    const attempts = await attemptsBelow('raced.com', 60);
    const rounds = Array.from({ length: 12 }, (_, round) => attempts.slice(round * 5, round * 5 + 5));
    const planned = await Promise.all(rounds.map((round) => plans().reserve(round, 'thumb')));
    expect(planned.flatMap(({ orders }) => orders)).toHaveLength(50);
    expect(planned.flatMap(({ parked }) => parked)).toHaveLength(10);
  });

  it('are reserved in the order of the batch', async () => {
    const attempts = await attemptsBelow('round.com', 60);
    const { orders, parked } = await plans().reserve(attempts, 'thumb');
    expect(orders.map(({ attempt }) => attempt)).toEqual(attempts.slice(0, 50));
    expect(parked.map(({ attempt }) => attempt)).toEqual(attempts.slice(50));
  });
});

describe('a renewal', () => {
  it('names the certificate that it replaces, and is exempt from every limit', async () => {
    const { id, job } = await firstJob('docs.ari.com');
    await steps.issue(job);
    await use('ari.com', 50, 24);
    await use('ari.com', 5, 24, 'docs.ari.com');
    const renewal = await steps.next(id);
    expect(renewal.replaces).toMatch(/^[\w-]{27}\.[\w-]+$/);
    expect(await steps.rows(id)).toMatchObject([{ state: 'issued' }, { replaces: renewal.replaces, isRenewal: true }]);
  });

  it('names it no more once the CA did not take that', async () => {
    const { id, job } = await firstJob('docs.replaced.com');
    await steps.issue(job);
    const refused = await steps.next(id);
    expect(refused.replaces).not.toBeNull();
    await steps.fail(refused, 'order', problems.passing);
    expect((await steps.next(id)).replaces).toBeNull();
  });

  it('does not name a certificate that has expired', async () => {
    const { id, job } = await firstJob('docs.expired.com');
    await steps.issue(job);
    await sql`update certificates set not_after = now() - interval '1 second' where domain_id = ${id}`.execute(
      fixture.api.db,
    );
    expect((await steps.next(id)).replaces).toBeNull();
  });
});

describe('renewal information', () => {
  it('is asked of the CA that issued, by the name the certificate has there', async () => {
    const { id, job } = await firstJob('docs.window.com');
    await steps.issue(job);
    await steps.makeDue(id, 'renewal_info');
    const question = await fixture.worker.nextJob('fetch-renewal-info', id);
    expect(question.directoryUrl).toBe(letsEncrypt);
    expect(question.certificateIdentifier).toBe((await steps.next(id)).replaces);
  });

  it('is not queried for a certificate without an identifier: no request is scheduled', async () => {
    const { id } = await firstJob('docs.nameless.com');
    await steps.makeDue(id, 'renewal_info');
    const isStopped = async () =>
      (
        await sql<{ isStopped: boolean }>`
          select due_at is null and lease_until is null and applied_attempt = attempt as "isStopped"
          from domain_work where domain_id = ${id} and kind = 'renewal_info'`.execute(fixture.api.db)
      ).rows[0]?.isStopped;
    await waitUntil(async () => (await isStopped()) === true, {
      timeoutMs: 15_000,
      message: 'the end of the schedule',
    });
  });
});

describe('the key of an attempt', () => {
  it('is the one that its request asks for', async () => {
    const { id, job } = await firstJob('docs.key.com');
    const { rows } = await sql<{ id: string; organizationId: string; sealedKey: string }>`
      select id, organization_id as "organizationId", sealed_key as "sealedKey" from certificates
      where domain_id = ${id}`.execute(fixture.api.db);
    const [row] = rows;
    if (row === undefined) throw new Error('nothing was reserved');
    const keyPem = unseal(ring, row.sealedKey, certificateKeyBinding(row.id, row.organizationId));
    const request = Buffer.from(job.csrPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
    expect(request.includes(createPublicKey(keyPem).export({ type: 'spki', format: 'der' }))).toBe(true);
  });

  it('never has a chain for another key put beside it', async () => {
    const { id, job } = await firstJob('docs.mixed.com');
    const { job: others } = await firstJob('other.mixed.com');
    await fixture.sign({ ...others, ...attemptOf(job) }, 'docs.mixed.com');
    await steps.untilEnded(job);
    expect(await steps.rows(id)).toMatchObject([
      { state: 'failed', failureClass: 'passing', failureStage: 'chain', ordered: true },
    ]);
    expect(await fixture.get(id)).toMatchObject({
      state: 'verified',
      certificate: { issuer: null },
      issues: [{ code: 'ca_unavailable' }],
    });
  });
});

/** Verified domains that want their first certificate. */
async function attemptsBelow(apexName: string, count: number): Promise<IssuanceAttempt[]> {
  const { rows } = await sql<IssuanceAttempt>`
    with organization as (insert into organizations (name, plan) values ('Racing', 'pro') returning id),
    project as (
      insert into projects (organization_id, name, slug) select id, 'Racing', ${apexName.replace('.', '-')}
      from organization returning *
    ),
    names as (select 'd' || n || '.' || ${apexName}::text as name, 't' || n || ${apexName}::text as token
      from generate_series(1, ${count}::integer) n),
    claims as (
      insert into domain_claims (organization_id, name, target_token, ownership_token)
      select o.id, name, token, token from names, organization o
    )
    insert into domains (organization_id, project_id, name, unicode_name, apex_name, state, generation_began_at, requested_at)
    select p.organization_id, p.id, n.name, n.name, ${apexName}, 'verified', now(), now() from names n, project p
    returning id as "domainId", organization_id as "organizationId", name, apex_name as "apexName", 1 as generation,
      1 as attempt`.execute(fixture.api.db);
  return rows;
}
