/**
 * The effects of suspensions. Several may apply to a domain at once: of its organization, its project or its name, each with
 * its own cause. Any of them makes the domain answer 410; certificates are renewed only while all of them allow it.
 */
import type { DomainIssue, DomainState, SuspensionCause, SuspensionScope } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import type { WorkKind } from './domain-trigger.js';

export interface Suspension {
  readonly scope: SuspensionScope;
  readonly cause: SuspensionCause;
  /** The reason, for the owner. */
  readonly reason: string;
  /** RFC 3339, as `renewsUntil`. */
  readonly since: string;
  /** Until when certificates are still renewed; null: they are not renewed. */
  readonly renewsUntil: string | null;
}

/** Whether certificates may be ordered under these suspensions. */
export function mayRenew(suspensions: readonly Suspension[], now: Date): boolean {
  return suspensions.every(({ renewsUntil }) => renewsUntil !== null && new Date(renewsUntil) > now);
}

/** Whether a suspension applies to the platform host of a project. Plans and blocked names affect only custom domains. */
export function coversPlatformHost({ scope, cause }: Suspension): boolean {
  return cause === 'operator' && scope !== 'domain';
}

/** The suspension that prevents the owner from changing the resource; undefined without one. */
export function findWriteBlock(suspensions: readonly Suspension[]): Suspension | undefined {
  return suspensions.find(({ cause }) => cause === 'operator');
}

/**
 * Whether due work waits for the end of a suspension: verification of a name, and work that leads to an order at a CA. DNS
 * checks of verified and removed domains continue.
 */
export function isWorkHeld(
  { kind, state, suspensions }: { kind: WorkKind; state: DomainState; suspensions: readonly Suspension[] },
  now: Date,
): boolean {
  if (state === 'removed' || mayRenew(suspensions, now)) return false;
  switch (kind) {
    case 'issuance':
    case 'renewal_info':
    case 'reverify':
      return true;
    case 'dns':
      return state === 'awaiting_dns';
    case 'probe':
      return false;
  }
}

/** One issue for each suspension that covers a domain. */
export function suspensionIssues(name: string, suspensions: readonly Suspension[]): readonly DomainIssue[] {
  return suspensions.map(({ scope, cause, reason, since }) =>
    describeIssue('suspended', { name, scope, cause, reason, since }),
  );
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long certificates are renewed during a suspension by plan, so that they are valid after an upgrade in this time. */
const CERTIFICATE_DAYS = 30;

/** When custom domains are suspended after a change of the plan. */
export function graceEndsAt(planChangedAt: Date, graceDays: number): Date {
  return new Date(planChangedAt.getTime() + graceDays * DAY_MS);
}

/** When renewal ends after a suspension by plan. */
export function renewalEndsAt(suspendedAt: Date): Date {
  return new Date(suspendedAt.getTime() + CERTIFICATE_DAYS * DAY_MS);
}

export interface PlanFacts {
  readonly name: string;
  readonly state: DomainState;
  readonly suspensions: readonly Suspension[];
  /** When the plan stopped including the domain; null while it includes it. */
  readonly planEndedAt: Date | null;
}

/** The issue that announces a suspension by plan; null if it has started or the plan includes the domain. */
export function planIssue({ name, state, suspensions, planEndedAt }: PlanFacts, graceDays: number): DomainIssue | null {
  if (planEndedAt === null || state === 'removed' || suspensions.some(({ cause }) => cause === 'plan')) return null;
  return describeIssue('plan_ended', { name, until: graceEndsAt(planEndedAt, graceDays).toISOString() });
}
