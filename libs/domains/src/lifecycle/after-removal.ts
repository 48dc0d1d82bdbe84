import { describeIssue } from '../issues.js';
import type { DnsChecked, DomainFacts, Transition } from './domain-trigger.js';
import { nextDanglingCheck } from './schedules.js';

/**
 * A removed domain whose DNS still points here: it serves no traffic, but the record is of no use, and its owner may have
 * forgotten it. So the former owner is told, for as long as it is so; the watch ends when the record is gone, when the name
 * has a holder again, or with its time.
 */
export function afterRemoval(
  domain: DomainFacts & { readonly removedAt: Date },
  { dns, isClaimedElsewhere }: DnsChecked,
  now: Date,
): Transition {
  const unchanged = { state: domain.state, misconfigured: false, startsGeneration: false, takesOver: false } as const;
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
