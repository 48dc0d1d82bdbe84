import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { problems } from '../certificates/certificate-steps.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { codesOf, renewalSteps, secondsTo } from '../certificates/renewal-steps.js';
import { attemptOf, matchingFindings } from '../scripted-worker.js';

const DAY = 86_400;

let fixture: DomainFixture;
let steps: ReturnType<typeof renewalSteps>;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  steps = renewalSteps(fixture);
});
afterAll(() => fixture.close());

/** Clicks; what is accepted finds DNS and CAA well. */
async function reverify(id: string): Promise<void> {
  expect((await fixture.click(id, 'reverify')).status).toBe(202);
  const job = await fixture.worker.nextJob('reverify-domain', id);
  await steps.untilApplied(id, 'reverify', () =>
    fixture.api.messaging.events.emit('domain.reverified', {
      ...attemptOf(job),
      findings: matchingFindings(job.expected),
      caa: { kind: 'permits' },
    }),
  );
}

async function refusal(id: string): Promise<[code: string, retryAfter: number | null]> {
  const { status, body, headers } = await fixture.click(id, 'reverify');
  expect(status).toBe(409);
  const retryAfter = headers.get('retry-after');
  return [body.code, retryAfter === null ? null : Number(retryAfter)];
}

describe('re-verify', () => {
  it('is refused without a time before verification and with a certificate', async () => {
    const waiting = await fixture.add(fixture.freshName());
    expect(await refusal(waiting.id)).toEqual(['reverify_too_early', null]);
    const { id, name, issue } = await fixture.verified();
    await fixture.sign(issue, name);
    await fixture.worker.nextJob('probe-edge', id);
    expect(await refusal(id)).toEqual(['reverify_too_early', null]);
  });

  it('is refused until half an hour has passed, as long as nothing has failed, whatever issues stand', async () => {
    const { id } = await fixture.verified();
    const issue = { code: 'not_served_yet', severity: 'info', message: '', remediation: '', evidence: {} };
    await sql`
      update domains set certificate_issues = ${JSON.stringify([issue])}::jsonb where id = ${id}`.execute(
      fixture.api.db,
    );
    const [code, retryAfter] = await refusal(id);
    expect(code).toBe('reverify_too_early');
    expect(retryAfter).toBeGreaterThan(1_790);
    expect(retryAfter).toBeLessThanOrEqual(1_800);

    await sql`
      update domains set generation_began_at = now() - interval '1700 seconds' where id = ${id}`.execute(
      fixture.api.db,
    );
    expect((await refusal(id))[1]).toBeLessThanOrEqual(100);
    await sql`
      update domains set generation_began_at = now() - interval '30 minutes' where id = ${id}`.execute(fixture.api.db);
    expect((await fixture.click(id, 'reverify')).status).toBe(202);
    expect((await refusal(id))[1]).toBeGreaterThan(1_790);
  });

  it('is allowed after a failure, once for each', async () => {
    const { id, issue } = await fixture.verified();
    await steps.fail(issue, 'gate', null);
    await reverify(id);
    expect((await refusal(id))[0]).toBe('reverify_too_early');
    const fresh = await fixture.worker.nextJob('issue-certificate', id);
    expect(fresh.generation).toBe(issue.generation + 1);
  });

  it('does not ask a CA before the time that the CA has named', async () => {
    const { id, issue } = await fixture.verified();
    await steps.fail(issue, 'order', problems.rate);
    const { dueAt } = await steps.scheduleEntry(id, 'issuance');
    expect(secondsTo(dueAt)).toBeGreaterThan(3_000);
    await reverify(id);
    expect((await steps.scheduleEntry(id, 'issuance')).dueAt).toEqual(dueAt);
    const { certificate, issues } = await fixture.get(id);
    expect(certificate?.rateLimitedUntil).toBe(dueAt?.toISOString());
    expect(issues).toMatchObject([{ code: 'ca_rate_limited' }]);
  });

  it('makes five orders in a day and no more, and says when the next one is', async () => {
    const { id, issue } = await fixture.verified();
    let job = issue;
    for (let order = 1; order < 5; order++) {
      await steps.fail(job, 'challenge', problems.user);
      await reverify(id);
      job = await fixture.worker.nextJob('issue-certificate', id);
    }
    await steps.fail(job, 'challenge', problems.user);
    await reverify(id);
    const next = secondsTo((await fixture.get(id)).certificate?.nextAttemptAt);
    expect(next).toBeGreaterThan(DAY - 60);
    expect(next).toBeLessThanOrEqual(DAY);
    expect(codesOf(await fixture.get(id))).toEqual([]);
    expect((await steps.rows(id)).map(({ ordered }) => ordered)).toEqual([true, true, true, true, true]);
  });
});
