import { describeIssue } from '../issues/describe-issue.js';
import type { DnsChecked, DomainFacts, Transition } from './domain-trigger.js';
import { nextDanglingCheck } from './schedules.js';

/**
 * A check of a removed domain. If its DNS still points here, the former owner gets an issue, since the record may have been
 * forgotten. The checks end when the record is gone, when another organization has the name, or after a week.
 */
export function afterRemoval(
  domain: DomainFacts & { readonly removedAt: Date },
  { dns, isClaimedElsewhere }: DnsChecked,
  now: Date,
): Transition {
  const unchanged = {
    state: domain.state,
    misconfigured: false,
    startsGeneration: false,
    takesOver: false,
    times: {},
  } as const;
  const later = { dueAt: nextDanglingCheck(domain.removedAt, now), failuresInARow: 0 };
  if (!isClaimedElsewhere && dns.kind === 'unknown')
    return { ...unchanged, work: { dns: later }, issues: {}, history: null };
  if (isClaimedElsewhere || dns.kind !== 'matches') {
    const history = domain.isDangling ? 'the DNS record of the removed domain is no longer checked' : null;
    return { ...unchanged, work: { dns: { dueAt: null } }, issues: { dns: [] }, history };
  }
  const dangling = describeIssue('dangling_record', { name: domain.name, expected: domain.targetHost });
  return {
    ...unchanged,
    work: { dns: later },
    issues: { dns: [dangling] },
    history: domain.isDangling ? null : `${dangling.message} ${dangling.remediation}`,
  };
}
