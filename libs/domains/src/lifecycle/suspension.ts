/**
 * What a suspension means. Several may cover a domain at once: of its organization, of its project, of its name, each for
 * its own cause. One is enough for 410; certificates are renewed only while every one of them allows it.
 */
import type { DomainIssue, DomainState, SuspensionCause, SuspensionScope } from '@pets/contracts';
import { describeIssue } from '../issues.js';
import type { WorkKind } from './domain-trigger.js';

export interface Suspension {
  readonly scope: SuspensionScope;
  readonly cause: SuspensionCause;
  /** For the owner. */
  readonly reason: string;
  /** RFC 3339, as `renewsUntil`. */
  readonly since: string;
  /** Up to when certificates are renewed all the same; null: not at all. */
  readonly renewsUntil: string | null;
}

export function mayRenew(suspensions: readonly Suspension[], now: Date): boolean {
  return suspensions.every(({ renewsUntil }) => renewsUntil !== null && new Date(renewsUntil) > now);
}

/** A plan covers custom domains, and so does a blocked name: only the operator suspends a project where we host it. */
export function coversPlatformHost({ scope, cause }: Suspension): boolean {
  return cause === 'operator' && scope !== 'domain';
}

/** The suspension that keeps the owner from changing what it covers; undefined when there is none. */
export function findWriteBlock(suspensions: readonly Suspension[]): Suspension | undefined {
  return suspensions.find(({ cause }) => cause === 'operator');
}

/**
 * Whether due work has to wait for the end of a suspension: what verifies a name, and what leads to an order at a CA. DNS
 * of what is verified or removed is watched as ever.
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
