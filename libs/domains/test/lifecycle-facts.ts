import { describeIssue } from '../src/issues/issue-catalog.js';
import { exampleFacts, exampleNow as now } from '../src/lifecycle/domain-facts.example.js';
import type { DomainFacts, DomainTrigger, Transition } from '../src/lifecycle/domain-trigger.js';

/** Domains in each state and triggers, for the table tests of the lifecycle. */

export const in_ = (seconds: number) => new Date(now.getTime() + seconds * 1000);
export const domain: DomainFacts = { ...exampleFacts, state: 'awaiting_dns', jitter: 1, verifiedAt: null };
export const verified: DomainFacts = { ...domain, state: 'verified' };
export const live: DomainFacts = {
  ...domain,
  state: 'live',
  certificate: { notBefore: in_(-86_400), notAfter: in_(89 * 86_400) },
};
const noRecord = describeIssue('no_record', { name: domain.name, expected: domain.targetHost });
export const mismatch = { kind: 'mismatch' as const, issues: [noRecord], conflicts: [] };
export const unknown = { kind: 'unknown' as const, issues: [describeIssue('resolver_failed', { errors: ['x'] })] };
export const checked = (dns: Extract<DomainTrigger, { type: 'dns.checked' }>['dns']): DomainTrigger => ({
  type: 'dns.checked',
  dns,
  ownership: null,
  isClaimedElsewhere: false,
});
export const matches = checked({ kind: 'matches', by: 'target' });
export const failed = (
  kind: 'user' | 'rate' | 'passing' | 'final',
  isPreflightFailure: boolean,
  retryAt: Date | null = null,
): DomainTrigger => ({
  type: 'certificate.failed',
  isPreflightFailure,
  hasOtherCa: false,
  failure: { class: kind, issues: [describeIssue('ca_refused', { detail: 'no' })], retryAt },
});
export const codes = (issues: readonly { code: string }[] | undefined) => issues?.map(({ code }) => code);

/** A row of a table: a title, a domain, a trigger, and the complete outcome. */
export type Outcome = [name: string, facts: DomainFacts, trigger: DomainTrigger, changes: Partial<Transition>];
export const outcomeOf = (facts: DomainFacts, changes: Partial<Transition>): Transition => ({
  state: facts.state,
  misconfigured: facts.misconfigured,
  startsGeneration: false,
  takesOver: false,
  work: {},
  issues: {},
  times: {},
  history: null,
  ...changes,
});
