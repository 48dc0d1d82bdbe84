import { describe, expect, it } from '@jest/globals';
import { checked, codes, domain, in_, live, matches, mismatch } from '../../test/lifecycle-facts.js';
import type { DelegationVerdict } from '../dns/evaluate-delegation.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DnsChecked, DomainFacts, DomainTrigger, Transition } from './domain-trigger.js';
import { evaluateReadiness, firstOrder, renewalEndIssue } from './preparation.js';
import { transition } from './transition.js';

const DAY = 86_400;
const delegation = { host: `_acme-challenge.${domain.name}`, target: 't0k.acme.pets.example' };
const awaiting: DomainFacts = { ...domain, delegation };
const certificate = { notBefore: in_(-DAY), notAfter: in_(89 * DAY) };
const delegated: DomainFacts = { ...awaiting, delegatedAt: in_(-DAY), preparedAt: in_(-DAY) };
const ready: DomainFacts = {
  ...delegated,
  certificate,
  certificateMethod: 'dns-01',
  readyAt: in_(-DAY),
  issuance: { dueAt: in_(60 * DAY), isUnderWay: false, failuresInARow: 0 },
};
const underWay = { dueAt: now, isUnderWay: true, failuresInARow: 0 };
const yes: DelegationVerdict = { kind: 'delegated' };
const no: DelegationVerdict = { kind: 'absent' };

function after(
  facts: DomainFacts,
  challenges: DelegationVerdict,
  trigger: DomainTrigger = checked(mismatch),
): Transition {
  const outcome = transition(facts, { ...trigger, ...(trigger.type === 'dns.checked' && { challenges }) }, now);
  if (outcome === null) throw new Error('no effect');
  return outcome;
}

describe('a check of a name that points elsewhere', () => {
  it.each<[string, DomainFacts, DelegationVerdict, Transition['work']['issuance']]>([
    ['orders when it finds the delegation', awaiting, yes, { dueAt: now, failuresInARow: 0 }],
    ['orders nothing when it finds it again', delegated, yes, undefined],
    ['orders nothing without it', awaiting, no, undefined],
    ['leaves an order that is under way', { ...awaiting, issuance: underWay }, yes, undefined],
    ['stops orders when it is gone', ready, no, { dueAt: null }],
    ['leaves a planned renewal', { ...ready, delegatedAt: null }, yes, undefined],
    [
      'plans the renewal again when it is back',
      { ...ready, delegatedAt: null, jitter: 0, issuance: { ...ready.issuance, dueAt: null } },
      yes,
      { dueAt: in_(59 * DAY) },
    ],
    [
      'orders at the limit of the day when it comes and goes',
      { ...delegated, delegatedAt: null, ordersAt: [5, 4, 3, 2, 1].map((hours) => in_(-hours * 3_600)) },
      yes,
      { dueAt: in_(19 * 3_600), failuresInARow: 0 },
    ],
    [
      'orders nothing after the preparation has expired',
      { ...delegated, delegatedAt: null, preparedAt: in_(-90 * DAY) },
      yes,
      undefined,
    ],
  ])('%s', (_title, facts, challenges, issuance) => {
    expect(after(facts, challenges).work.issuance).toEqual(issuance);
  });

  it('keeps the beginning of a preparation when the delegation comes and goes', () => {
    expect(after(awaiting, yes).times).toEqual({ delegatedAt: now, preparedAt: now });
    expect(after({ ...delegated, delegatedAt: null }, yes).times).toEqual({ delegatedAt: now });
  });

  it('is repeated after the polling until the preparation expires', () => {
    const old = { ...delegated, requestedAt: in_(-3 * DAY) };
    expect(after(old, yes).work.dns?.dueAt).toEqual(in_(3_600));
    expect(after({ ...old, preparedAt: in_(-90 * DAY) }, yes).work.dns?.dueAt).toBeNull();
    expect(after({ ...awaiting, requestedAt: in_(-3 * DAY) }, no).work.dns?.dueAt).toBeNull();
  });

  it('tells the owner that the delegation is gone, as long as it is', () => {
    expect(codes(after(ready, no).issues.dns)).toEqual(['no_record', 'delegation_lost']);
    expect(codes(after({ ...ready, delegatedAt: null }, no).issues.dns)).toEqual(['no_record', 'delegation_lost']);
    expect(codes(after(awaiting, no).issues.dns)).toEqual(['no_record']);
    expect(codes(after({ ...ready, delegation: null, delegatedAt: null }, no).issues.dns)).toEqual(['no_record']);
    expect(after(ready, no).issues.dns?.[1]?.evidence).toEqual({
      ...{ name: domain.name, host: delegation.host, expected: delegation.target },
    });
    const hidden: DelegationVerdict = { kind: 'shadowed', seen: ['x'], servers: ['192.0.2.1:53'] };
    expect(codes(after(ready, hidden).issues.dns)).toEqual(['no_record', 'delegation_shadowed']);
  });

  it.each<[string, DomainFacts, DelegationVerdict, string | null]>([
    ['begins', awaiting, yes, 'delegated: the certificate is issued while the name points elsewhere'],
    ['goes on', delegated, yes, null],
    ['ends', ready, no, 'the delegation of challenges is gone or hidden: no certificate is requested'],
    ['has not begun', awaiting, no, null],
  ])('has a line in the history when the preparation %s', (_title, facts, challenges, history) => {
    expect(after(facts, challenges).history).toBe(history);
  });

  it.each<[string, DelegationVerdict | null | undefined]>([
    ['failed', { kind: 'unknown', error: 'SERVFAIL' }],
    ['was not made', null],
    ['was not made by a worker of the version before', undefined],
  ])('begins no preparation where the lookup of a delegation that was found before %s', (_title, challenges) => {
    const facts = { ...delegated, preparedAt: null };
    const outcome = transition(facts, { ...(checked(mismatch) as DnsChecked), challenges }, now);
    expect(outcome).toMatchObject({ work: { dns: expect.anything() }, times: {}, history: null });
    expect(outcome?.work).not.toHaveProperty('issuance');
    expect(outcome?.times).not.toHaveProperty('preparedAt');
  });

  it('orders a new certificate in place of one that ends now', () => {
    const ended = { ...ready, certificate: { ...certificate, notAfter: now } };
    expect(firstOrder(ended, now)).toEqual({ issuance: { dueAt: now, failuresInARow: 0 } });
  });
});

describe('the switch', () => {
  it('probes the certificate that is there instead of an order', () => {
    const { state, work, startsGeneration } = after(ready, yes, matches);
    expect([state, startsGeneration]).toEqual(['verified', true]);
    expect(work).toMatchObject({ probe: { dueAt: now } });
    expect(work).not.toHaveProperty('issuance');
  });

  it('plans a renewal that the loss of the delegation has ended', () => {
    const lost = { ...ready, jitter: 0, delegatedAt: null, issuance: { ...ready.issuance, dueAt: null } };
    expect(after(lost, no, matches).work.issuance).toEqual({ dueAt: in_(59 * DAY), failuresInARow: 0 });
  });

  it('keeps the result of an order that is under way', () => {
    const { startsGeneration, work } = after({ ...delegated, issuance: underWay }, yes, matches);
    expect(startsGeneration).toBe(false);
    expect(work).not.toHaveProperty('issuance');
  });

  it('orders a new certificate in place of an expired one', () => {
    const expired = { ...ready, certificate: { notBefore: in_(-90 * DAY), notAfter: in_(-1) } };
    expect(after(expired, yes, matches).work.issuance).toEqual({ dueAt: now, failuresInARow: 0 });
  });
});

describe('a certificate of a name that points elsewhere', () => {
  const issued: DomainTrigger = { type: 'certificate.issued', renewAt: in_(60 * DAY) };

  it('is probed, and makes the name ready when the edges serve it', () => {
    const { state, work, times } = after(delegated, yes, issued);
    expect([state, times, work.probe?.dueAt]).toEqual(['awaiting_dns', {}, now]);
    expect(work).not.toHaveProperty('dns');
    expect(after({ ...delegated, dnsDueAt: in_(600) }, yes, issued).work).not.toHaveProperty('dns');
    const served = after({ ...delegated, certificate }, yes, { type: 'certificate.served' });
    expect([served.state, served.times]).toEqual(['awaiting_dns', { readyAt: now }]);
    expect(served.history).toBe('ready: the edges serve the certificate, and the DNS record can be switched');
    expect(after(ready, yes, { type: 'certificate.served' })).toMatchObject({ times: {}, history: null });
  });

  it('makes a name ready at once that another organization serves, since it has no route to probe', () => {
    const { work, times } = after({ ...delegated, isClaimedElsewhere: true }, yes, issued);
    expect(times).toEqual({ readyAt: now });
    expect(work).not.toHaveProperty('probe');
    expect(after({ ...ready, isClaimedElsewhere: true }, yes, issued).times).toEqual({});
  });
});

describe('readiness', () => {
  it.each<[string, DomainFacts, string | undefined]>([
    ['without the delegation', awaiting, 'waiting'],
    ['with the delegation', delegated, 'preparing'],
    ['with a certificate that the edges do not serve yet', { ...ready, readyAt: null }, 'preparing'],
    ['with a certificate that they serve', ready, 'ready'],
    ['after the delegation was removed', { ...ready, delegatedAt: null }, 'ready'],
    ['with a certificate that is no longer there', { ...ready, certificate: null }, 'preparing'],
    ['with an expired certificate', { ...ready, certificate: { ...certificate, notAfter: now } }, 'preparing'],
    ['after the preparation has expired', { ...delegated, preparedAt: in_(-90 * DAY) }, 'waiting'],
    ['after the switch', { ...ready, state: 'verified' }, undefined],
    ['without a zone for challenges', domain, undefined],
  ])('%s', (_title, facts, state) => {
    expect(evaluateReadiness(facts, false, now)?.state).toBe(state);
  });

  it('is not there while the domain is suspended', () => {
    expect(evaluateReadiness(ready, true, now)?.state).toBe('waiting');
  });

  it.each<[string, DomainFacts, boolean, string]>([
    ['suspended', ready, true, 'The domain is suspended: do not switch the DNS record yet.'],
    ['ready', ready, false, 'You can switch the DNS record now: visitors will see no interruption.'],
    ['preparing', delegated, false, 'The certificate is being issued: wait before you switch the DNS record.'],
    [
      'waiting',
      awaiting,
      false,
      `To switch without an interruption, create the CNAME record of ${delegation.host} to ${delegation.target} first. ` +
        'The certificate is then issued while the name still points elsewhere.',
    ],
  ])('tells the owner what to do: %s', (_title, facts, isSuspended, message) => {
    expect(evaluateReadiness(facts, isSuspended, now)?.message).toBe(message);
  });
});

describe('the end of renewals by DNS-01', () => {
  const left: DomainFacts = { ...live, delegation, delegatedAt: in_(-DAY), certificateMethod: 'dns-01' };

  it.each<[string, DomainFacts, string | undefined]>([
    ['a preparation', delegated, undefined],
    ['a preparation of 90 days', { ...delegated, preparedAt: in_(-90 * DAY) }, 'preparation_expired'],
    [
      'a preparation of 90 days whose delegation is gone',
      { ...delegated, delegatedAt: null, preparedAt: in_(-90 * DAY) },
      undefined,
    ],
    ['a name that points here', left, undefined],
    ['a name that was prepared and points here', { ...left, preparedAt: in_(-90 * DAY) }, undefined],
    [
      'a name that was prepared and has left for 30 days',
      { ...left, preparedAt: in_(-90 * DAY), elsewhereSince: in_(-30 * DAY) },
      'renewal_stopped',
    ],
    ['a removed name', { ...left, state: 'removed', elsewhereSince: in_(-30 * DAY) }, undefined],
    ['a name that has left', { ...left, elsewhereSince: in_(-29 * DAY) }, undefined],
    ['a name that has left for 30 days', { ...left, elsewhereSince: in_(-30 * DAY) }, 'renewal_stopped'],
    [
      'one whose certificate came by HTTP-01',
      { ...left, certificateMethod: 'http-01', elsewhereSince: in_(-30 * DAY) },
      undefined,
    ],
  ])('of %s', (_title, facts, code) => {
    expect(renewalEndIssue(facts, now)?.code).toBe(code);
  });

  it('says since when', () => {
    const evidence = { name: domain.name, expected: domain.targetHost };
    expect(renewalEndIssue({ ...delegated, preparedAt: in_(-90 * DAY) }, now)?.evidence).toEqual({
      ...evidence,
      since: in_(-90 * DAY).toISOString(),
    });
    expect(renewalEndIssue({ ...left, elsewhereSince: in_(-31 * DAY) }, now)?.evidence).toEqual({
      ...evidence,
      since: in_(-31 * DAY).toISOString(),
    });
  });

  it('begins again when the owner asks for a check', () => {
    const expired = { ...delegated, preparedAt: in_(-90 * DAY) };
    expect(transition(expired, { type: 'owner.verify' }, now)?.times).toEqual({ preparedAt: null });
    expect(transition(delegated, { type: 'owner.verify' }, now)?.times).toEqual({});
    expect(transition(awaiting, { type: 'owner.verify' }, now)?.times).toEqual({});
    const gone = { ...left, elsewhereSince: in_(-30 * DAY) };
    expect(transition(gone, { type: 'owner.verify' }, now)?.times).toEqual({});
    expect(after({ ...expired, preparedAt: null }, yes)).toMatchObject({
      times: { preparedAt: now },
      work: { issuance: { dueAt: now } },
    });
  });

  it('counts from the first check that found the name elsewhere', () => {
    expect(after(live, no).times).toEqual({ elsewhereSince: now });
    expect(after({ ...live, elsewhereSince: in_(-DAY) }, no).times).toEqual({});
    expect(after({ ...live, elsewhereSince: in_(-DAY) }, no, matches).times).toEqual({ elsewhereSince: null });
  });
});

it('an attempt without any possible challenge is not repeated', () => {
  expect(transition(ready, { type: 'issuance.impossible' }, now)?.work).toEqual({ issuance: { dueAt: null } });
});
