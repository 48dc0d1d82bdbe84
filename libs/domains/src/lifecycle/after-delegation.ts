import { isWildcard, type DomainIssue } from '@pets/contracts';
import { delegationIssue, requiredDelegationIssues, type DelegationVerdict } from '../dns/evaluate-delegation.js';
import type { DomainFacts, DomainTimes } from './domain-trigger.js';

/** Result of a check of the delegation: the time to store, and the issue to show. */
export interface DelegationOutcome {
  readonly times: DomainTimes;
  readonly issues: readonly DomainIssue[];
}

/**
 * Evaluates the delegation of a domain that is not removed. Only an answer of all servers changes anything: a server that lacks
 * a new record, or has failed, does not end a delegation that was found before. A wildcard has no certificate without it.
 */
export function afterDelegation(
  { name, delegation, delegatedAt }: DomainFacts,
  verdict: DelegationVerdict | null | undefined,
  now: Date,
): DelegationOutcome {
  if (delegation === null || verdict === null || verdict === undefined) return { times: {}, issues: [] };
  const issue = isWildcard(name) ? null : delegationIssue(verdict, delegation, name);
  const required = isWildcard(name) ? requiredDelegationIssues(verdict, delegation, name) : [];
  const issues = issue === null ? required : [issue];
  switch (verdict.kind) {
    case 'delegated':
      return { times: delegatedAt === null ? { delegatedAt: now } : {}, issues };
    case 'absent':
    case 'elsewhere':
    case 'shadowed':
      return { times: delegatedAt === null ? {} : { delegatedAt: null }, issues };
    case 'partial':
    case 'unknown':
      return { times: {}, issues };
  }
}
