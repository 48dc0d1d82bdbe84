import type { Domain, DomainIssue, IssueCode } from '@pets/contracts';
import type { OutcomeStatus } from '../outcome/exit-codes.js';

/** What a domain can be waited for. */
export const goals = ['verified', 'live'] as const;
export type Goal = (typeof goals)[number];

/** What passes by itself, or once the record that was asked for has been created and has spread. */
const passing: readonly IssueCode[] = [
  'no_record',
  'resolver_failed',
  'propagating',
  'ca_rate_limited',
  'ca_unavailable',
  'not_served_yet',
] satisfies IssueCode[];

export interface Judgement {
  readonly status: Extract<OutcomeStatus, 'done' | 'not_yet' | 'refused'>;
  readonly reason: string;
}

/** Whether a domain is what it shall be, will be by itself, or will not be until somebody changes something. */
export function evaluateDomain({ state, suspensions, issues, certificate }: Domain, goal: Goal): Judgement {
  if (state === 'removed') return { status: 'refused', reason: 'removed' };
  if (suspensions.length > 0) return { status: 'refused', reason: 'suspended' };
  if (state === 'live' || state === goal) return { status: 'done', reason: state };
  const obstacle = issues.find(isObstacle);
  if (obstacle !== undefined) return { status: 'refused', reason: obstacle.code };
  const first = issues.find(({ code }) => code !== 'apex_cname_to_us');
  if (first !== undefined) return { status: 'not_yet', reason: first.code };
  if (state === 'awaiting_dns') return { status: 'not_yet', reason: 'awaiting_dns' };
  return { status: 'not_yet', reason: certificate?.state === 'issued' ? 'not_served_yet' : 'awaiting_certificate' };
}

/** Whether an issue stays until somebody changes something. A proof that is not there yet is a record still to be created. */
export function isObstacle({ code, severity, evidence }: DomainIssue): boolean {
  const isAwaited = code === 'ownership_txt_missing' && evidence['seen'] === undefined;
  return severity === 'error' && !isAwaited && !passing.includes(code);
}
