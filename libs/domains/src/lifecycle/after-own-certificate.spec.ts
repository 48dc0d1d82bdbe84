import { describe, expect, it } from '@jest/globals';
import { domain, in_, live, outcomeOf, verified, type Outcome } from '../../test/lifecycle-facts.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

const detail = 'what happened';
const activated: DomainTrigger = { type: 'own_certificate.activated', detail, isFirst: true };
const preferred: DomainTrigger = { type: 'own_certificate.preferred', detail };
const ended: DomainTrigger = { type: 'own_certificate.ended', detail, reason: 'expired' };
const probe = { probe: { dueAt: now, failuresInARow: 0 } };
const order = { issuance: { dueAt: now } };
const told = { history: detail, alert: null };
const DAY = 86_400;
const own = { notBefore: in_(-80 * DAY), notAfter: in_(10 * DAY) };
const withoutCertificate: DomainFacts = { ...live, certificate: null };

describe('an uploaded certificate', () => {
  it.each<Outcome>([
    ['is probed for when it is activated', verified, activated, { work: probe, ...told }],
    ['is probed for when it is preferred', live, preferred, { work: probe, ...told }],
    ['of a name that awaits its DNS is not probed for', domain, activated, told],
    [
      'of a prepared name is probed for',
      { ...domain, preparedAt: in_(-60), delegatedAt: in_(-60) },
      activated,
      { work: probe, ...told },
    ],
    [
      'of a prepared name that another organization has is not',
      { ...domain, preparedAt: in_(-60), delegatedAt: in_(-60), isClaimedElsewhere: true },
      activated,
      told,
    ],
    ['leaves the automatic one when it ends', live, ended, { work: probe, ...told }],
    [
      'makes an order due when it ends without an automatic one',
      withoutCertificate,
      ended,
      { work: { ...probe, ...order }, ...told },
    ],
    [
      'leaves an attempt that is under way',
      { ...withoutCertificate, issuance: { dueAt: in_(60), isUnderWay: true, failuresInARow: 0 } },
      ended,
      { work: probe, ...told },
    ],
    [
      'makes an order due when the automatic one ends as well',
      { ...live, certificate: { notBefore: in_(-90 * DAY), notAfter: now } },
      ended,
      { work: { ...probe, ...order }, ...told },
    ],
    [
      'leaves an attempt that is due',
      { ...withoutCertificate, issuance: { dueAt: now, isUnderWay: false, failuresInARow: 0 } },
      ended,
      { work: probe, ...told },
    ],
    [
      'has a later attempt made now',
      { ...withoutCertificate, issuance: { dueAt: in_(60), isUnderWay: false, failuresInARow: 0 } },
      ended,
      { work: { ...probe, ...order }, ...told },
    ],
    ['has nothing done when it is due to be replaced', live, { type: 'own_certificate.due' }, {}],
    ['orders nothing under a suspension', { ...withoutCertificate, mayRenew: false }, ended, { work: probe, ...told }],
  ])('%s', (_title, facts, trigger, changes) => {
    expect(transition(facts, trigger, now)).toEqual(outcomeOf(facts, changes));
  });

  it('has no effect on a removed domain', () => {
    expect(transition({ ...live, state: 'removed', removedAt: now }, activated, now)).toBeNull();
  });

  it('has its own alerts while it is served, and no other', () => {
    const overdue: DomainFacts = { ...verified, generationBeganAt: in_(-DAY), ownCertificate: own };
    expect(transition(overdue, { type: 'own_certificate.due' }, now)?.alert).toBeUndefined();
    const later = in_(2 * DAY);
    expect(transition(overdue, { type: 'own_certificate.due' }, later)?.alert).toMatchObject({ level: 'expiring' });
    const told = { ...overdue, certificateAlert: 'expiring' } as const;
    expect(transition(told, { type: 'own_certificate.due' }, later)?.alert).toBeUndefined();
    expect(transition(told, { type: 'own_certificate.due' }, in_(11 * DAY))?.alert).toMatchObject({ level: 'expired' });
  });
});
