import { displayName, type Domain, type DomainIssue } from '@pets/contracts';
import { isRecordMissing } from '@pets/domains';
import type { CommandContext } from '../command.js';
import { report, type Outcome, type OutcomeStatus, type Report } from '../outcome/outcome.js';
import { shellWord } from '../terminal/format.js';
import { presentDomain } from './present-domain.js';

/** The states that `pets domains wait` can wait for. */
export const goals = ['ready', 'verified', 'live'] as const;
export type Goal = (typeof goals)[number];

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
  const refusal = issues.find(needsChange);
  if (refusal !== undefined) return { status: 'refused', reason: refusal.code };
  const first = issues.find(({ blocking }) => blocking);
  if (first !== undefined) return { status: 'not_yet', reason: first.code };
  if (state === 'awaiting_dns') return { status: 'not_yet', reason: 'awaiting_dns' };
  return { status: 'not_yet', reason: certificate?.state === 'issued' ? 'not_served_yet' : 'awaiting_certificate' };
}

/** Issues of the records that are still to be switched do not count. */
function evaluateReadiness({ state, readiness, issues }: Domain): Evaluation {
  if (state !== 'awaiting_dns' || readiness?.state === 'ready') return { status: 'done', reason: 'ready' };
  if (readiness === null) return { status: 'refused', reason: 'delegation_not_offered' };
  const obstacle = issues.find(delaysPreparation);
  return { status: 'not_yet', reason: obstacle?.code ?? readiness.state };
}

/** Whether an issue delays a certificate before the switch, for which the delegation is needed as well. */
function delaysPreparation({ area, blocking }: DomainIssue): boolean {
  return area === 'delegation' || (blocking && (area === 'zone' || area === 'certificate'));
}

/** Whether a domain with the issue cannot go live until someone changes something. A record that is missing may still be created. */
export function needsChange(issue: DomainIssue): boolean {
  return issue.severity === 'error' && issue.blocking && !isRecordMissing(issue);
}

/** The outcome of a command that asks whether a domain has reached the goal. */
export function reportDomain(
  { terminal }: CommandContext,
  domain: Domain,
  goal: Goal,
  { status, reason }: Pick<Report, 'status' | 'reason'>,
): Report {
  const [first] = domain.issues;
  const cause = status === 'done' || first === undefined ? '' : ` ${first.message}`;
  const late = reason === 'timeout' ? `; timed out waiting for ${goal}` : '';
  const pending = reason === 'check_pending' ? '; the check is still running' : '';
  const isReady = status === 'done' && reason === 'ready' && domain.state === 'awaiting_dns';
  const state = isReady ? 'ready: you can switch its DNS record now' : domain.state;
  const said = `${displayName(domain)} is ${state}${late}${pending}`;
  return report(status, reason, `${said}.${cause}`, {
    ...(cause !== '' && { summary: `${said}: ${first?.title}.` }),
    result: domain,
    issues: domain.issues,
    next: nextCommands(domain, goal),
    text: presentDomain(domain, terminal),
  });
}

/** The commands to run next. */
export function nextCommands(domain: Domain, goal: Goal): Outcome['next'] {
  const { state } = domain;
  const name = shellWord(domain.name);
  switch (state) {
    case 'awaiting_dns': {
      if (domain.readiness?.state === 'ready')
        return [
          { command: `pets domains wait ${name}`, when: 'after you switch the record, to wait until it is live' },
        ];
      const isRefused = evaluateDomain(domain, goal).status === 'refused';
      const verifyWhen = isRefused ? 'after you fix the records' : 'after you create the records';
      return [
        { command: `pets domains verify ${name}`, when: verifyWhen },
        { command: `pets domains wait ${name}`, when: 'to wait until it is live' },
      ];
    }
    case 'verified':
      return [{ command: `pets domains wait ${name}`, when: 'to wait until it is live' }];
    case 'live':
      return domain.misconfigured ? [{ command: `pets domains doctor ${name}`, when: 'to diagnose its DNS' }] : [];
    case 'removed':
      return domain.pendingEdges === 0
        ? []
        : [{ command: `pets domains remove ${name} --yes`, when: 'to wait for the pending edges' }];
  }
}

/**
 * Whether a domain has the result of the check that was requested. A check that had begun before, and so may not have seen a new
 * record, leaves the requested one planned.
 * @param requested the answer to the request
 * @param domain as it is now
 */
export function hasResultOf(requested: Domain, domain: Domain): boolean {
  if (domain.state !== requested.state) return true;
  const planned = requested.dns.nextCheckAt;
  const next = domain.dns.nextCheckAt;
  const isStillPlanned = planned !== null && next !== null && Date.parse(next) <= Date.parse(planned);
  return domain.dns.checkedAt !== requested.dns.checkedAt && !isStillPlanned;
}
