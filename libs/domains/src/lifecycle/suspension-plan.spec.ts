import { describe, expect, it } from '@jest/globals';
import { renewalEndsAt, graceEndsAt, mayRenew, planIssue, type Suspension } from './suspension.js';

const changedAt = new Date('2026-11-02T09:00:00Z');
const domain = { name: 'docs.example.com', state: 'live', suspensions: [], planEndedAt: changedAt } as const;
const day = (days: number) => new Date(changedAt.getTime() + days * 86_400_000);
const suspension = (cause: Suspension['cause'], renewsUntil: Date | null): Suspension => ({
  scope: 'project',
  cause,
  reason: 'x',
  since: day(14).toISOString(),
  renewsUntil: renewsUntil?.toISOString() ?? null,
});

describe('a domain that the plan no longer includes', () => {
  it('has an issue with the time of its suspension', () => {
    expect(planIssue(domain, 14)).toMatchObject({
      code: 'plan_ended',
      severity: 'warning',
      message: expect.stringContaining('2026-11-16T09:00:00.000Z'),
    });
  });

  it.each([
    ['its plan includes it', { planEndedAt: null }],
    ['it is removed', { state: 'removed' }],
    ['it is suspended for that', { suspensions: [suspension('plan', null)] }],
  ] as const)('has no issue when %s', (_name, change) => {
    expect(planIssue({ ...domain, ...change }, 14)).toBeNull();
  });

  it('has the issue in addition to the suspension of an operator', () => {
    expect(planIssue({ ...domain, suspensions: [suspension('operator', null)] }, 14)).not.toBeNull();
  });

  it('has its certificate renewed for thirty days after the suspension, and not after that', () => {
    expect(graceEndsAt(changedAt, 14)).toEqual(day(14));
    const suspended = [suspension('plan', renewalEndsAt(day(14)))];
    expect(mayRenew(suspended, day(14))).toBe(true);
    expect(mayRenew(suspended, day(43.9))).toBe(true);
    expect(mayRenew(suspended, day(44))).toBe(false);
    expect(mayRenew(suspended, day(60))).toBe(false);
  });

  it('has it not renewed while an operator suspends it as well', () => {
    const both = [suspension('plan', renewalEndsAt(day(14))), suspension('operator', null)];
    expect(mayRenew(both, day(15))).toBe(false);
  });
});
