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
import { describeIssue } from '../issues/describe-issue.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger, Transition } from './domain-trigger.js';
import { transition } from './transition.js';

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
