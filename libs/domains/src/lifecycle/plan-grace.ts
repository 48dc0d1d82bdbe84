/** What becomes of custom domains that a plan no longer includes, as times. */
import type { DomainIssue, DomainState } from '@pets/contracts';
import { describeIssue } from '../issues.js';
import type { Suspension } from './suspension.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** After the suspension: an upgrade in this time finds every certificate valid. */
const CERTIFICATE_DAYS = 30;

export function graceEndsAt(planChangedAt: Date, graceDays: number): Date {
  return new Date(planChangedAt.getTime() + graceDays * DAY_MS);
}

export function certificatesEndAt(suspendedAt: Date): Date {
  return new Date(suspendedAt.getTime() + CERTIFICATE_DAYS * DAY_MS);
}

export interface PlanFacts {
  readonly name: string;
  readonly state: DomainState;
  readonly suspensions: readonly Suspension[];
  /** Since when the plan does not include the domain; null while it does. */
  readonly planEndedAt: Date | null;
}

/** Announces the suspension, until it is there or the plan includes the domain again. */
export function planIssue({ name, state, suspensions, planEndedAt }: PlanFacts, graceDays: number): DomainIssue | null {
  if (planEndedAt === null || state === 'removed' || suspensions.some(({ cause }) => cause === 'plan')) return null;
  return describeIssue('plan_ended', { name, until: graceEndsAt(planEndedAt, graceDays).toISOString() });
}
