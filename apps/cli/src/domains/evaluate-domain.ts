import type { Domain, DomainIssue, IssueCode } from '@pets/contracts';
import type { OutcomeStatus } from '../outcome/outcome.js';

/** The states that `pets domains wait` can wait for. */
export const goals = ['ready', 'verified', 'live'] as const;
export type Goal = (typeof goals)[number];

/** Issues that resolve automatically, or when the required record exists and has propagated. */
const transientIssues: readonly IssueCode[] = [
  'no_record',
  'resolver_failed',
  'propagating',
  'challenge_not_published',
  'ca_rate_limited',
  'certificate_queued',
  'certificate_pending',
  'ca_unavailable',
  'not_served_yet',
] satisfies IssueCode[];

/** What a check reports of a name that points here. It delays nothing. */
const notes: readonly IssueCode[] = [
  'apex_cname_to_us',
  'flattened',
  'address_retiring',
  'ownership_txt_of_others',
] satisfies IssueCode[];

/** Issues that delay a certificate before the switch. */
const preparationIssues: readonly IssueCode[] = [
  'dnssec_broken',
  'delegation_missing',
  'delegation_mismatch',
  'delegation_shadowed',
  'delegation_propagating',
  'delegation_lost',
  'preparation_expired',
  'challenge_not_published',
  'caa_forbids',
  'caa_too_large',
  'caa_unanswered',
  'ca_refused',
  'ca_rate_limited',
  'certificate_queued',
  'certificate_pending',
  'ca_unavailable',
  'not_served_yet',
] satisfies IssueCode[];

export interface Evaluation {
  readonly status: Extract<OutcomeStatus, 'done' | 'not_yet' | 'refused'>;
  readonly reason: string;
}

/** Whether a domain has reached the goal, may still reach it, or needs a change first. */
export function evaluateDomain(domain: Domain, goal: Goal): Evaluation {
  const { state, suspensions, issues, certificate } = domain;
  if (state === 'removed') return { status: 'refused', reason: 'removed' };
  if (suspensions.length > 0) return { status: 'refused', reason: 'suspended' };
  if (state === 'live' || state === goal) return { status: 'done', reason: state };
  if (goal === 'ready') return evaluateReadiness(domain);
  const blocking = issues.find(isBlocking);
  if (blocking !== undefined) return { status: 'refused', reason: blocking.code };
  const first = issues.find(({ code }) => !notes.includes(code));
  if (first !== undefined) return { status: 'not_yet', reason: first.code };
  if (state === 'awaiting_dns') return { status: 'not_yet', reason: 'awaiting_dns' };
  return { status: 'not_yet', reason: certificate?.state === 'issued' ? 'not_served_yet' : 'awaiting_certificate' };
}

/** Issues of the records that are still to be switched do not count. */
function evaluateReadiness({ state, readiness, issues }: Domain): Evaluation {
  if (state !== 'awaiting_dns' || readiness?.state === 'ready') return { status: 'done', reason: 'ready' };
  if (readiness === null) return { status: 'refused', reason: 'delegation_not_offered' };
  const obstacle = issues.find(({ code }) => preparationIssues.includes(code));
  return { status: 'not_yet', reason: obstacle?.code ?? readiness.state };
}

/** Whether an issue persists until someone changes something. A record that is missing may still be created. */
export function isBlocking({ code, severity, evidence }: DomainIssue): boolean {
  const isRecord = code === 'ownership_txt_missing' || code === 'delegation_missing';
  const isMissing = isRecord && evidence['seen'] === undefined;
  return severity === 'error' && !isMissing && !transientIssues.includes(code);
}
