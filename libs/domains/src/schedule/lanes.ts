/**
 * Due work goes to the workers in lanes, each with its own loop, queue of jobs and limit of waiting jobs: what waits in one
 * delays no other. In a lane, work of a higher priority goes first, and organizations take turns.
 */
import type { JobLane } from '@pets/contracts';
import type { WorkKind } from '../lifecycle/domain-trigger.js';

/** The lower number goes first. The column `domain_work.priority` has the numbers. */
const priorities = {
  /** A person is waiting: a click, or the first check of a name. */
  person: 0,
  /** A name without a certificate. */
  issuance: 1,
  /** The renewal of a certificate that nears its end. */
  expiring: 2,
  routine: 3,
} as const;
export type Priority = (typeof priorities)[keyof typeof priorities];

/** The lanes of `domain_work`. Revocation lists have a schedule of their own, in `own_certificates`. */
export type WorkLane = Exclude<JobLane, 'lists'>;

export interface Lane {
  readonly kinds: readonly WorkKind[];
  /** The most rows of one claim. */
  readonly batch: number;
  /** With this many jobs waiting, the workers are behind: rows stay due in the database, where turns are fair. */
  readonly maxWaiting: number;
}

export const lanes = {
  /** DNS checks that a person waits for. The queue is short, so that nobody waits behind the names of another. */
  requested: { kinds: ['dns', 'reverify'], batch: 64, maxWaiting: 64 },
  checks: { kinds: ['dns', 'reverify'], batch: 500, maxWaiting: 2_000 },
  certificates: { kinds: ['issuance', 'renewal_info'], batch: 250, maxWaiting: 250 },
  probes: { kinds: ['probe'], batch: 500, maxWaiting: 1_000 },
} as const satisfies Record<WorkLane, Lane>;

export const workLanes = Object.keys(lanes) as readonly WorkLane[]; // the keys of the record above

/** Rows with the same kind, priority and organization. */
export interface WorkQueue {
  readonly kind: WorkKind;
  readonly priority: Priority;
  readonly organizationId: string;
}

export function laneOf({ kind, priority }: Pick<WorkQueue, 'kind' | 'priority'>): WorkLane {
  if (kind === 'probe') return 'probes';
  if (kind === 'issuance' || kind === 'renewal_info') return 'certificates';
  return priority === priorities.person ? 'requested' : 'checks';
}

/** Why work is scheduled. */
export interface WorkCause {
  /** Whether somebody waits for its result. */
  readonly isRequested: boolean;
  readonly hasCertificate: boolean;
  /** Whether there is an alert about its certificate. */
  readonly hasAlert: boolean;
}

export const routineCause: WorkCause = { isRequested: false, hasCertificate: true, hasAlert: false };

export function priorityOf(kind: WorkKind, { isRequested, hasCertificate, hasAlert }: WorkCause): Priority {
  if (isRequested) return priorities.person;
  if (kind !== 'issuance' && kind !== 'probe') return priorities.routine;
  if (!hasCertificate) return priorities.issuance;
  return hasAlert ? priorities.expiring : priorities.routine;
}
