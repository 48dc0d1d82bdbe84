import { describe, expect, it } from '@jest/globals';
import { codes, domain, in_, live, matches, mismatch, unknown, verified } from '../../test/lifecycle-facts.js';
import type { DelegationVerdict } from '../dns/evaluate-delegation.js';
import type { DnsVerdict } from '../dns/evaluate-dns.js';
import { describeIssue } from '../issues/describe-issue.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DnsChecked, DomainFacts } from './domain-trigger.js';
import { transition } from './transition.js';

/** Checks of wildcards, which need a delegation, and what a switch makes due. */

const DAY = 86_400;
const delegation = { host: `_acme-challenge.${domain.name}`, target: 't.acme.pets.example' };
const wildcard = { name: `*.${domain.name}`, delegation };
const awaiting: DomainFacts = { ...domain, ...wildcard };
const byTarget: DnsVerdict = { kind: 'matches', by: 'target' };
const byAddress: DnsVerdict = { kind: 'matches', by: 'address' };
const delegated: DelegationVerdict = { kind: 'delegated' };
const missing: DelegationVerdict = { kind: 'absent' };
const noAnswer: DelegationVerdict = { kind: 'unknown', error: 'SERVFAIL' };
const unproven: DnsChecked['ownership'] = { verdict: { kind: 'refuted' }, host: 'h', token: 't' };

const after = (facts: DomainFacts, more: Partial<DnsChecked>) =>
  transition(facts, { ...(matches as DnsChecked), ...more }, now);

describe('the first check of a wildcard', () => {
  it.each<[string, Partial<DomainFacts>, Partial<DnsChecked>, 'verified' | 'awaiting_dns']>([
    ['points to the target, and is delegated', {}, { dns: byTarget, challenges: delegated }, 'verified'],
    [
      'points to the target, and was delegated at an earlier check',
      { delegatedAt: in_(-DAY) },
      { dns: byTarget, challenges: noAnswer },
      'verified',
    ],
    ['points to the target, and is not delegated', {}, { dns: byTarget, challenges: missing }, 'awaiting_dns'],
    [
      'points to the target, and is no longer delegated',
      { delegatedAt: in_(-DAY) },
      { dns: byTarget, challenges: missing },
      'awaiting_dns',
    ],
    ['shows our addresses, and is delegated', {}, { dns: byAddress, challenges: delegated }, 'verified'],
    [
      'shows our addresses, and was delegated at an earlier check, which is no proof',
      { delegatedAt: in_(-DAY) },
      { dns: byAddress, challenges: noAnswer },
      'awaiting_dns',
    ],
    [
      'shows our addresses, and its delegation was not looked up',
      { delegatedAt: in_(-DAY) },
      { dns: byAddress, challenges: null },
      'awaiting_dns',
    ],
    [
      'shows our addresses, and no delegation was known',
      { delegatedAt: in_(-DAY) },
      { dns: byAddress },
      'awaiting_dns',
    ],
  ])('that %s: %s', (_title, facts, found, state) => {
    expect(after({ ...awaiting, ...facts }, found)?.state).toBe(state);
  });

  it('names the delegation that is missing', () => {
    expect(codes(after(awaiting, { challenges: missing })?.issues.dns)).toEqual(['delegation_missing']);
  });

  it.each<[string, DnsChecked['ownership'], object | undefined]>([
    ['needs no proof', null, { dueAt: now, failuresInARow: 0 }],
    ['needs a proof and has none', unproven, undefined],
  ])('orders its certificate before the switch where it %s', (_title, ownership, issuance) => {
    const outcome = after(awaiting, { dns: mismatch, challenges: delegated, ownership });
    expect(outcome?.work.issuance).toEqual(issuance);
  });

  it('does not concern another name', () => {
    expect(after(domain, { dns: byAddress, challenges: missing })?.state).toBe('verified');
  });
});

describe('the errors of the check before', () => {
  const known = (...found: Parameters<typeof describeIssue>[0][]) => ({
    dnsIssues: found.map((code) => describeIssue(code, { name: domain.name })),
  });

  it('about the delegation end where it was not looked up', () => {
    expect(codes(after({ ...domain, ...known('delegation_missing') }, { dns: mismatch })?.issues.dns)).toEqual([
      'no_record',
    ]);
  });

  it('are shown once where the check has found them again', () => {
    const [broken] = known('dnssec_broken').dnsIssues;
    if (broken === undefined) throw new Error('there is no issue');
    const dns: DnsVerdict = { kind: 'unknown', issues: [broken, ...unknown.issues] };
    expect(codes(after({ ...domain, dnsIssues: [broken] }, { dns })?.issues.dns)).toEqual([
      'dnssec_broken',
      'resolver_failed',
    ]);
  });

  it('of a wildcard that points here stay while nothing is known, without those about the delegation', () => {
    const facts = { ...live, ...wildcard, ...known('dns_lost', 'delegation_missing', 'resolver_failed') };
    const codesAfter = (challenges?: DelegationVerdict | null) =>
      codes(after(facts, { dns: unknown, ...(challenges !== undefined && { challenges }) })?.issues.dns);
    expect(codesAfter(delegated)).toEqual(['dns_lost']);
    expect(codesAfter(noAnswer)).toEqual(['dns_lost', 'delegation_missing', 'resolver_failed']);
    expect(codesAfter(null)).toEqual(['dns_lost']);
    expect(codesAfter()).toEqual(['dns_lost']);
  });
});

describe('the switch makes due', () => {
  const probe = { dueAt: now, failuresInARow: 0 };
  const order = { dueAt: now, failuresInARow: 0 };
  const validity = (endsIn: number) => ({ notBefore: in_(endsIn - 90 * DAY), notAfter: in_(endsIn) });

  it.each<[string, Partial<DomainFacts>, object]>([
    ['an order, without a certificate', {}, { issuance: order }],
    ['an order, with a certificate that ends now', { certificate: validity(0) }, { issuance: order }],
    [
      'an order and a probe, with an uploaded certificate',
      { ownCertificate: validity(30 * DAY) },
      { issuance: order, probe },
    ],
    [
      'a probe, with a certificate whose renewal is planned',
      { certificate: validity(DAY), issuance: { dueAt: in_(60), isUnderWay: false, failuresInARow: 0 } },
      { probe },
    ],
  ])('%s', (_title, facts, work) => {
    const outcome = after({ ...domain, ...facts }, {});
    expect({ ...outcome?.work, dns: undefined }).toEqual(work);
  });
});

describe('a later check of a wildcard', () => {
  const covered: DomainFacts = { ...verified, ...wildcard };
  const due = { dueAt: in_(60), isUnderWay: false, failuresInARow: 0 };

  it.each<[string, Partial<DomainFacts>, Partial<DnsChecked>, object | undefined]>([
    ['orders when the delegation is there again', {}, { challenges: delegated }, { dueAt: now, failuresInARow: 0 }],
    [
      'orders when the name points here again',
      { delegatedAt: in_(-DAY), elsewhereSince: in_(-DAY) },
      { challenges: delegated },
      { dueAt: now, failuresInARow: 0 },
    ],
    ['leaves an order that is due', { issuance: due }, { challenges: delegated }, undefined],
    ['orders nothing while nothing has changed', { delegatedAt: in_(-DAY) }, { challenges: delegated }, undefined],
    [
      'orders nothing while the name points elsewhere',
      { delegatedAt: in_(-DAY), elsewhereSince: in_(-DAY) },
      { dns: mismatch, challenges: delegated },
      undefined,
    ],
    ['orders nothing without the delegation', {}, { challenges: missing }, undefined],
    [
      'orders nothing without the delegation when the name points here again',
      { elsewhereSince: in_(-DAY) },
      { challenges: missing },
      undefined,
    ],
  ])('%s', (_title, facts, found, issuance) => {
    const outcome = after({ ...covered, ...facts }, found);
    expect(outcome?.work.issuance).toEqual(issuance);
    expect(outcome?.work.dns?.dueAt).toEqual(expect.any(Date));
  });

  it('has no other issues than it has found', () => {
    expect(after({ ...covered, delegatedAt: in_(-DAY) }, { challenges: delegated })?.issues.dns).toEqual([]);
    expect(codes(after(covered, { dns: mismatch, challenges: missing })?.issues.dns)).toEqual([
      'dns_lost',
      'no_record',
      'delegation_missing',
    ]);
  });
});
