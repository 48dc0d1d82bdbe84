import { describe, expect, it } from '@jest/globals';
import { domain, in_, live, matches, mismatch, checked } from '../../test/lifecycle-facts.js';
import type { DelegationVerdict } from '../dns/evaluate-delegation.js';
import { afterDelegation } from './preparation.js';
import { exampleNow as now } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

const delegation = { host: `_acme-challenge.${domain.name}`, target: 't0k.acme.pets.example' };
const awaiting: DomainFacts = { ...domain, delegation };
const delegated: DomainFacts = { ...awaiting, delegatedAt: in_(-60) };
const elsewhere = { kind: 'elsewhere', seen: ['a.example.net'], endsHere: false, servers: ['192.0.2.1:53'] } as const;
const withChallenges = (trigger: DomainTrigger, challenges: DelegationVerdict | null): DomainTrigger =>
  trigger.type === 'dns.checked' ? { ...trigger, challenges } : trigger;
const after = (facts: DomainFacts, challenges: DelegationVerdict | null, trigger = checked(mismatch)) =>
  transition(facts, withChallenges(trigger, challenges), now);

describe('a check of the delegation', () => {
  it.each<[string, DomainFacts, DelegationVerdict | null, object]>([
    ['finds it', awaiting, { kind: 'delegated' }, { delegatedAt: now }],
    ['finds it again', delegated, { kind: 'delegated' }, {}],
    ['finds it gone', delegated, { kind: 'absent' }, { delegatedAt: null }],
    ['finds it elsewhere', delegated, elsewhere, { delegatedAt: null }],
    ['finds it hidden', delegated, { kind: 'shadowed', seen: ['x'], servers: ['192.0.2.1:53'] }, { delegatedAt: null }],
    ['still finds nothing', awaiting, { kind: 'absent' }, {}],
    ['finds it at some servers', awaiting, { kind: 'partial', lacking: [] }, {}],
    ['misses it at some servers', delegated, { kind: 'partial', lacking: [] }, {}],
    ['fails', delegated, { kind: 'unknown', error: 'SERVFAIL' }, {}],
    ['did not look for it', delegated, null, {}],
    ['has no zone for it', domain, { kind: 'delegated' }, {}],
  ])('%s', (_title, facts, challenges, times) => {
    expect(afterDelegation(facts, challenges, now).times).toEqual(times);
  });

  it('that finds it has no issues', () => {
    const found = afterDelegation(awaiting, { kind: 'delegated' }, now);
    expect(found).toStrictEqual({ times: { delegatedAt: now }, issues: [] });
  });

  it('that did not look for it has no issues', () => {
    for (const verdict of [null, undefined])
      expect(afterDelegation(delegated, verdict, now)).toEqual({ times: {}, issues: [] });
  });

  it('is remembered of a name that points here', () => {
    expect(after(awaiting, { kind: 'delegated' }, matches)?.times).toEqual({ delegatedAt: now });
    expect(after({ ...live, delegation }, { kind: 'delegated' }, matches)?.times).toEqual({ delegatedAt: now });
  });

  it('tells the owner of a wrong record while the name awaits its DNS', () => {
    expect(after(awaiting, elsewhere)?.issues.dns?.map(({ code }) => code)).toEqual([
      'no_record',
      'delegation_mismatch',
    ]);
    expect(after({ ...live, delegation }, elsewhere, matches)?.issues.dns).toEqual([]);
  });
});
