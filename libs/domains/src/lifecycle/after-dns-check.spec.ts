import { describe, expect, it } from '@jest/globals';
import {
  checked,
  codes,
  domain,
  in_,
  live,
  matches,
  mismatch,
  outcomeOf,
  unknown,
  verified,
} from '../../test/lifecycle-facts.js';
import type { DelegationVerdict } from '../dns/evaluate-delegation.js';
import type { DnsVerdict } from '../dns/evaluate-dns.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DnsChecked, DomainFacts, DomainTrigger, Transition } from './domain-trigger.js';
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

const issue = describeIssue('certificate_pending', { authority: 'ca.example', since: now.toISOString() });
const failed = {
  ...{ type: 'certificate.failed', isPreflightFailure: false, hasOtherCa: false },
  failure: { class: 'passing', issues: [], retryAt: null },
} as const satisfies DomainTrigger;

describe('removal', () => {
  it.each([domain, verified, live])(
    'from any state stops all work but the DNS check, and starts a generation, so that late results are ignored',
    (from) => {
      const stopped = { dueAt: null, failuresInARow: 0 };
      expect(transition(from, { type: 'owner.removed' }, now)).toMatchObject({
        state: 'removed',
        startsGeneration: true,
        work: { dns: { dueAt: in_(3_600) }, issuance: stopped, probe: stopped, reverify: stopped },
      });
    },
  );

  it.each<[string, DomainTrigger]>([
    ['a probe', { type: 'certificate.served' }],
    ['a click', { type: 'owner.verify' }],
  ])('ignores %s that arrives later', (_name, trigger) => {
    expect(transition({ ...domain, state: 'removed', removedAt: now }, trigger, now)).toBeNull();
  });

  it.each<[string, DomainTrigger, Date | null]>([
    ['a certificate', { type: 'certificate.issued', renewAt: now }, null],
    ['the end of its order', { type: 'order.given_up', nextOrderAt: now, reason: 'the CA does not know it' }, null],
    ['an answer that its order is not finished', { type: 'certificate.pending', nextReadAt: in_(2), issue }, in_(2)],
    ['a failure to read its order', { ...failed, isOrderOpen: true }, in_(60)],
    ['a failure that ends its order', failed, null],
  ])('reads an order to its end: after %s', (_name, trigger, dueAt) => {
    const outcome = transition({ ...domain, state: 'removed', removedAt: now, failuresInARow: 0 }, trigger, now);
    expect(outcome).toMatchObject({ state: 'removed', work: { issuance: { dueAt } }, issues: {}, history: null });
  });

  it.each([verified, live])('also follows when another organization proves that it owns the name', (from) => {
    expect(transition(from, { type: 'owner.lost' }, now)).toMatchObject({
      state: 'removed',
      startsGeneration: true,
      history: expect.stringContaining('another organization proved that it owns the name'),
    });
  });

  it('at an unknown time ends the checks', () => {
    expect(transition({ ...domain, state: 'removed', removedAt: null }, matches, now)).toBeNull();
  });

  it('does not follow from losing an unverified name', () => {
    expect(transition(domain, { type: 'owner.lost' }, now)).toBeNull();
  });
});

describe('the DNS record of a removed domain', () => {
  const removed: DomainFacts = { ...domain, state: 'removed', removedAt: in_(-3_600) };
  const reported: DomainFacts = { ...removed, isDangling: true };
  const held = { ...matches, isClaimedElsewhere: true } as DomainTrigger;

  it.each<[string, DomainFacts, DomainTrigger, string[] | undefined, Date | null, RegExp | null]>([
    ['still points here: has an issue', removed, matches, ['dangling_record'], in_(86_400), /remove the record/],
    [
      'still points here: keeps its issue without a new event',
      reported,
      matches,
      ['dangling_record'],
      in_(86_400),
      null,
    ],
    ['is gone: checks end', removed, checked(mismatch), [], null, null],
    ['is gone after the issue: clears the issue', reported, checked(mismatch), [], null, /no longer checked/],
    ['is unknown: nothing changes', reported, checked(unknown), undefined, in_(86_400), null],
    ['points here for another organization with the name: checks end', removed, held, [], null, null],
    ['is checked for a week', { ...reported, removedAt: in_(-7 * 86_400) }, matches, ['dangling_record'], null, null],
  ])('%s', (_name, from, trigger, issues, dueAt, history) => {
    const outcome = transition(from, trigger, now);
    expect(outcome).toMatchObject({ state: 'removed', startsGeneration: false, takesOver: false });
    expect(codes(outcome?.issues.dns)).toEqual(issues);
    expect(outcome?.work).toMatchObject({ dns: { dueAt } });
    if (history === null) expect(outcome?.history).toBeNull();
    else expect(outcome?.history).toMatch(history);
  });
});

describe('a trigger about a removed domain', () => {
  const removed: DomainFacts = { ...domain, state: 'removed', removedAt: in_(-3_600), failuresInARow: 1 };

  it.each<DomainTrigger['type']>([
    ...(['owner.verify', 'owner.reverify', 'owner.removed', 'owner.lost'] as const),
    ...(['domain.reverified', 'issuance.postponed', 'issuance.parked', 'issuance.queued'] as const),
    ...(['renewal_info.fetched', 'certificate.served', 'certificate.not_served'] as const),
    ...(['own_certificate.activated', 'own_certificate.preferred', 'own_certificate.ended'] as const),
    'own_certificate.due',
  ])('%s has no effect', (type) => {
    expect(transition(removed, { type } as DomainTrigger, now)).toBeNull();
  });

  it.each<[string, DomainTrigger, Transition['work']['issuance']]>([
    [
      'reads an open order again after a failure',
      { ...failed, isOrderOpen: true },
      { dueAt: in_(600), failuresInARow: 2 },
    ],
    ['ends with a failed order', failed, { dueAt: null, failuresInARow: 2 }],
    ['ends with an order for which there is no challenge', { type: 'issuance.impossible' }, { dueAt: null }],
    ['ends with a certificate', { type: 'certificate.issued', renewAt: in_(60) }, { dueAt: null }],
    [
      'ends with an order that was given up',
      { type: 'order.given_up', nextOrderAt: now, reason: 'x' },
      { dueAt: null },
    ],
  ])('%s', (_name, trigger, issuance) => {
    expect(transition(removed, trigger, now)).toEqual(outcomeOf(removed, { work: { ...(issuance && { issuance }) } }));
  });
});
