import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { codesOf, renewalSteps, secondsTo } from './renewal-steps.js';
import { attemptOf } from '../scripted-worker.js';
import { problems } from './certificate-steps.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

let fixture: DomainFixture;
let steps: ReturnType<typeof renewalSteps>;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  steps = renewalSteps(fixture);
});
afterAll(() => fixture.close());

const daysTo = (instant: string | null | undefined) => secondsTo(instant) / DAY;
const planOf = ({ certificate }: Domain) => certificate?.renewAt;

describe('renewal', () => {
  it('is planned before a third of the lifetime is left, and moves into the window of the CA', async () => {
    const { id, question } = await steps.live();
    const planned = daysTo(planOf(await fixture.get(id)));
    expect(planned).toBeGreaterThan(55);
    expect(planned).toBeLessThanOrEqual(60);

    const moved = daysTo(planOf(await steps.reportRenewalInfo(question, { from: 30, to: 32 })));
    expect(moved).toBeGreaterThan(29.99);
    expect(moved).toBeLessThan(32);
    const again = secondsTo((await steps.scheduleEntry(id, 'renewal_info')).dueAt);
    expect(again).toBeGreaterThan(6 * HOUR - 60);
    expect(again).toBeLessThanOrEqual(12 * HOUR);
  });

  it('starts immediately when the CA requests it, and the new certificate replaces the old one', async () => {
    const { id, name, question } = await steps.live();
    const before = await steps.route(name);
    await steps.reportRenewalInfo(question, { from: -2, to: -1 });
    const job = await fixture.worker.nextJob('issue-certificate', id);
    expect(job.replaces).toBe(question.certificateIdentifier);
    expect(await steps.route(name)).toEqual(before);

    await fixture.sign(job, name);
    await steps.prove(id);
    const after = await steps.route(name);
    expect(after).toEqual({ ...before, certificateId: expect.any(String) });
    expect(after?.certificateId).not.toBe(before?.certificateId);
    expect(await fixture.get(id)).toMatchObject({ state: 'live', issues: [] });
    expect((await steps.ask(id)).certificateIdentifier).not.toBe(question.certificateIdentifier);
  });

  it('keeps its plan when the CA offers no window or the request fails', async () => {
    const [none, failed] = [await steps.live(), await steps.live()];
    const plans = [planOf(await fixture.get(none.id)), planOf(await fixture.get(failed.id))];
    expect(planOf(await steps.reportRenewalInfo(none.question, null))).toBe(plans[0]);
    expect(planOf(await steps.reportRenewalInfo(failed.question, null, 'time-out'))).toBe(plans[1]);
    expect((await steps.scheduleEntry(none.id, 'renewal_info')).dueAt).toBeNull();
    const again = secondsTo((await steps.scheduleEntry(failed.id, 'renewal_info')).dueAt);
    expect(again).toBeGreaterThan(HOUR - 60);
    expect(again).toBeLessThanOrEqual(1.25 * HOUR);
  });

  it('waits for the backoff after a failure, whatever the window is', async () => {
    const { id, question } = await steps.live();
    await steps.fail(await steps.next(id), 'order', problems.passing);
    await steps.fail(await steps.next(id), 'order', problems.passing);
    const { dueAt } = await steps.scheduleEntry(id, 'issuance');
    expect(secondsTo(dueAt)).toBeGreaterThan(500);
    await steps.reportRenewalInfo(question, { from: -2, to: -1 });
    expect((await steps.scheduleEntry(id, 'issuance')).dueAt).toEqual(dueAt);
  });

  it('is retried with the drift checks after a failed preflight, and immediately when DNS is fixed', async () => {
    const { id } = await steps.live();
    await steps.checkDns(id, false);
    await steps.fail(await steps.next(id), 'gate', null);
    const again = secondsTo((await steps.scheduleEntry(id, 'issuance')).dueAt);
    expect(again).toBeGreaterThan(40 * 60);
    expect(await fixture.get(id)).toMatchObject({ state: 'live', certificate: { state: 'issued' } });
    await steps.checkDns(id);
    await fixture.worker.nextJob('issue-certificate', id);
  });

  it('adds an issue to the live domain until the edges serve the new certificate', async () => {
    const { id, name } = await steps.live();
    await fixture.sign(await steps.next(id), name);
    const probe = await fixture.worker.nextJob('probe-edge', id);
    const seen = [{ edgeId: 'e1', error: 'the old certificate' }];
    const unproven = await steps.untilApplied(id, 'probe', () =>
      fixture.api.messaging.events.emit('certificate.not_served', { ...attemptOf(probe), seen }),
    );
    expect(unproven).toMatchObject({ state: 'live', issues: [{ code: 'not_served_yet' }] });
    await steps.prove(id);
    expect(codesOf(await fixture.get(id))).toEqual([]);
  });
});
