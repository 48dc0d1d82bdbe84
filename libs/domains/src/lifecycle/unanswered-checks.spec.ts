import { describe, expect, it } from '@jest/globals';
import type { IssueCode } from '@pets/contracts';
import { checked, codes, domain, live, matches, mismatch, unknown, verified } from '../../test/lifecycle-facts.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DnsChecked, DomainFacts, DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

/** Checks that some servers did not answer: they end no problem that an earlier check has found. */

const issue = (code: IssueCode) => describeIssue(code, { name: domain.name });
const conflict = { type: 'A' as const, name: domain.name, value: '203.0.113.1', action: 'remove' as const };
const noAnswer = { kind: 'unknown' as const, error: 'SERVFAIL' };
const unproven: DnsChecked['ownership'] = { verdict: noAnswer, host: 'h', token: 't' };
const delegation = { host: `_acme-challenge.${domain.name}`, target: 't.acme.pets.example' };

const codesAfter = (facts: DomainFacts, more: Partial<DnsChecked>, dns: DomainTrigger = checked(unknown)) =>
  codes(transition(facts, { ...(dns as DnsChecked), ...more }, now)?.issues.dns);
const known = (...found: IssueCode[]): DomainFacts => ({
  ...domain,
  dnsIssues: found.map(issue),
  conflicts: [conflict],
});

describe('of a name that waits for its records', () => {
  it('keep the records that were wrong', () => {
    const outcome = transition(known('propagating', 'conflicting_a'), checked(unknown), now);
    expect(codes(outcome?.issues.dns)).toEqual(['resolver_failed', 'conflicting_a']);
    expect(outcome?.conflicts).toEqual([conflict]);
  });

  it('keep a missing proof while it is unknown, and no longer', () => {
    const facts = known('ownership_txt_missing');
    expect(codesAfter(facts, { ownership: unproven }, matches)).toEqual(['resolver_failed', 'ownership_txt_missing']);
    expect(codesAfter(facts, { ownership: null })).toEqual(['resolver_failed']);
  });

  it('keep no issue of another organization, which needs no answer', () => {
    expect(codesAfter(known('claimed_elsewhere'), {})).toEqual(['resolver_failed']);
    expect(codesAfter(known('claimed_elsewhere'), { isClaimedElsewhere: true })).toEqual([
      'resolver_failed',
      'claimed_elsewhere',
    ]);
  });

  it('are replaced by an answer', () => {
    expect(codesAfter(known('resolver_failed', 'conflicting_a'), {}, checked(mismatch))).toEqual(['no_record']);
  });
});

describe('of a wildcard', () => {
  const wildcard = { name: `*.${domain.name}`, delegation, dnsIssues: [issue('delegation_missing')] };

  it.each([
    ['that waits for its records', domain],
    ['that is verified', verified],
    ['that is live', live],
  ])('%s keep a missing delegation, and nothing twice', (_state, facts) => {
    const first = transition(
      { ...facts, ...wildcard },
      { ...(checked(unknown) as DnsChecked), challenges: noAnswer },
      now,
    );
    const dnsIssues = first?.issues.dns ?? [];
    expect(codes(dnsIssues)?.toSorted()).toContain('delegation_missing');
    const again = codesAfter({ ...facts, ...wildcard, dnsIssues }, { challenges: noAnswer });
    expect(again?.toSorted()).toEqual(codes(dnsIssues)?.toSorted());
    expect(codesAfter({ ...facts, ...wildcard, dnsIssues }, { challenges: { kind: 'delegated' } })).not.toContain(
      'delegation_missing',
    );
  });
});
