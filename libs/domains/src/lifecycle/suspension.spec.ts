import { describe, expect, it } from '@jest/globals';
import { exampleNow as now } from './domain-facts.example.js';
import {
  coversPlatformHost,
  findWriteBlock,
  isWorkHeld,
  mayRenew,
  suspensionIssues,
  type Suspension,
} from './suspension.js';

const at = (afterMs: number) => new Date(now.getTime() + afterMs).toISOString();
const since = at(-1_000);
const byOperator: Suspension = { scope: 'domain', cause: 'operator', reason: 'phishing', since, renewsUntil: null };
const byPlan = (renewsUntil: string | null): Suspension => ({
  scope: 'organization',
  cause: 'plan',
  reason: 'downgraded',
  since,
  renewsUntil,
});

describe('certificates are renewed', () => {
  it.each<[string, Suspension[], boolean]>([
    ['without a suspension', [], true],
    ['not under the operator’s', [byOperator], false],
    ['under a plan’s, up to its time', [byPlan(at(1))], true],
    ['not under a plan’s at its time', [byPlan(at(0))], false],
    ['not under a plan’s without a time', [byPlan(null)], false],
    ['not when one of several forbids it', [byPlan(at(1)), byOperator], false],
  ])('%s', (_name, suspensions, expected) => expect(mayRenew(suspensions, now)).toBe(expected));
});

describe('due work is held', () => {
  const held = (
    kind: Parameters<typeof isWorkHeld>[0]['kind'],
    state: 'awaiting_dns' | 'verified' | 'live' | 'removed',
  ) => isWorkHeld({ kind, state, suspensions: [byOperator] }, now);

  it.each([
    ['issuance', 'live', true],
    ['renewal_info', 'live', true],
    ['reverify', 'verified', true],
    ['dns', 'awaiting_dns', true],
    ['dns', 'live', false],
    ['probe', 'verified', false],
    ['dns', 'removed', false],
    ['issuance', 'removed', false],
  ] as const)('%s of a domain that is %s: %s', (kind, state, expected) => expect(held(kind, state)).toBe(expected));

  it('not while certificates are renewed', () =>
    expect(isWorkHeld({ kind: 'issuance', state: 'live', suspensions: [byPlan(at(1))] }, now)).toBe(false));
});

it('changes by the owner are blocked by the operator, not by the plan', () => {
  expect(findWriteBlock([byPlan(null), byOperator])).toBe(byOperator);
  expect(findWriteBlock([byPlan(null), { ...byOperator, cause: 'blocked_name' }])).toBeUndefined();
});

describe('the platform host', () => {
  it.each<[Suspension, boolean]>([
    [{ ...byOperator, scope: 'organization' }, true],
    [{ ...byOperator, scope: 'project' }, true],
    [byOperator, false],
    [byPlan(null), false],
    [{ ...byOperator, cause: 'blocked_name' }, false],
  ])('%j', (suspension, expected) => expect(coversPlatformHost(suspension)).toBe(expected));
});

it('states what the owner has to do', () => {
  const [operator, plan] = suspensionIssues('docs.example.com', [byOperator, byPlan(null)]);
  expect(operator).toMatchObject({ code: 'suspended', remediation: 'Contact the operator of the platform.' });
  expect(plan?.remediation).toContain('Upgrade the plan');
  const { scope, cause, reason } = byOperator;
  expect(operator?.evidence).toEqual({ name: 'docs.example.com', scope, cause, reason, since });
});
