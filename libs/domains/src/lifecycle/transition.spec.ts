import { describe, expect, it } from '@jest/globals';
import { domainStates } from '@pets/contracts';
import {
  checked,
  codes,
  domain,
  failed,
  in_,
  live,
  matches,
  mismatch,
  unknown,
  verified,
} from '../../test/lifecycle-facts.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleNow as now } from './domain-facts.example.js';
import { type DomainTrigger, nextState, type StateTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

describe('states', () => {
  const moves: Record<string, string> = {
    'awaiting_dns dns.matched': 'verified',
    'awaiting_dns owner.removed': 'removed',
    'verified certificate.served': 'live',
    'verified owner.removed': 'removed',
    'verified owner.lost': 'removed',
    'live owner.removed': 'removed',
    'live owner.lost': 'removed',
  };
  const triggers: StateTrigger[] = ['dns.matched', 'certificate.served', 'owner.removed', 'owner.lost'];
  const all = domainStates.flatMap((state) => triggers.map((trigger) => [state, trigger] as const));
  it.each(all)('%s on %s', (state, trigger) => expect(nextState(state, trigger)).toBe(moves[`${state} ${trigger}`]));
});

describe('a domain that waits for DNS', () => {
  it('becomes verified when everything matches: a new generation, issuance due at once, a check when a certificate would be overdue', () => {
    expect(transition(domain, matches, now)).toMatchObject({
      state: 'verified',
      startsGeneration: true,
      work: { issuance: { dueAt: now }, dns: { dueAt: in_(1800) } },
      issues: { dns: [] },
    });
  });

  it('stays, shows the diagnosis and is polled again when the records are missing', () => {
    const outcome = transition(domain, checked(mismatch), now);
    expect(outcome).toMatchObject({
      state: 'awaiting_dns',
      startsGeneration: false,
      history: null,
      work: { dns: { dueAt: in_(2) } },
    });
    expect(codes(outcome?.issues.dns)).toEqual(['no_record']);
  });

  it('is no longer polled 48 hours after the last click', () => {
    const old = { ...domain, requestedAt: in_(-48 * 3600) };
    expect(transition(old, checked(mismatch), now)?.work.dns).toMatchObject({ dueAt: null });
  });

  it('is neither verified nor refused by a failed lookup', () => {
    expect(transition(domain, checked(unknown), now)).toMatchObject({
      state: 'awaiting_dns',
      work: { dns: { dueAt: in_(2) } },
    });
  });

  it('waits while another organization holds the name', () => {
    const outcome = transition(domain, { ...matches, isClaimedElsewhere: true } as DomainTrigger, now);
    expect(outcome?.state).toBe('awaiting_dns');
    expect(codes(outcome?.issues.dns)).toEqual(['claimed_elsewhere']);
    expect(outcome?.takesOver).toBe(false);
  });

  it.each<[string, Extract<DomainTrigger, { type: 'dns.checked' }>['dns'], boolean]>([
    ['takes the name over with the records and the proof', { kind: 'matches', by: 'target' }, true],
    ['takes nothing over with only the proof', mismatch, false],
    ['takes nothing over while DNS is unknown', unknown, false],
  ])('%s', (_name, dns, takesOver) => {
    const ownership = { verdict: { kind: 'proven' as const }, host: 'h', token: 't' };
    const outcome = transition(domain, { type: 'dns.checked', dns, ownership, isClaimedElsewhere: true }, now);
    expect(outcome?.takesOver).toBe(takesOver);
    expect(outcome?.state).toBe(takesOver ? 'verified' : 'awaiting_dns');
  });

  it.each([domain, live])('is not delayed by an informational issue, and shows it', (from) => {
    const notes = [describeIssue('propagating', { stale: ['192.0.2.1:53'] })];
    const outcome = transition(from, checked({ kind: 'matches', by: 'target', notes }), now);
    expect(outcome?.state).toBe(from.state === 'live' ? 'live' : 'verified');
    expect(codes(outcome?.issues.dns)).toEqual(['propagating']);
  });

  it('is due for drift checks at its own time once it has a certificate', () => {
    const issued: DomainTrigger = { type: 'certificate.issued', renewAt: in_(100) };
    expect(transition({ ...verified, dnsDueAt: in_(1_790), jitter: 0 }, issued, now)?.work.dns?.dueAt).toEqual(
      in_(2_700),
    );
  });

  it.each([
    ['proven', 'verified', []],
    ['refuted', 'awaiting_dns', ['ownership_txt_missing']],
    ['unknown', 'awaiting_dns', ['resolver_failed']],
  ] as const)('with a required proof of ownership that is %s becomes or stays %s', (kind, state, issues) => {
    const verdict = kind === 'unknown' ? { kind, error: 'x' } : { kind };
    const outcome = transition(
      domain,
      { ...matches, ownership: { verdict, host: 'h', token: 't' } } as DomainTrigger,
      now,
    );
    expect(outcome?.state).toBe(state);
    expect(codes(outcome?.issues.dns)).toEqual(issues);
  });

  it('does not go live when an edge serves a certificate', () => {
    expect(transition(domain, { type: 'certificate.served' }, now)?.state).toBe('awaiting_dns');
  });
});

describe('a verified domain', () => {
  it('is probed when its certificate is issued, and live once the edges serve it', () => {
    const issued = transition(verified, { type: 'certificate.issued', renewAt: in_(100) }, now);
    expect(issued).toMatchObject({
      state: 'verified',
      work: { probe: { dueAt: now }, issuance: { dueAt: in_(100), failuresInARow: 0 } },
    });
    expect(transition(verified, { type: 'certificate.served' }, now)).toMatchObject({
      state: 'live',
      work: { probe: { dueAt: null } },
    });
  });

  it('is probed again while an edge does not serve the certificate, with an issue', () => {
    const outcome = transition(
      { ...verified, failuresInARow: 2 },
      { type: 'certificate.not_served', seen: ['e1: refused'] },
      now,
    );
    expect(outcome).toMatchObject({ state: 'verified', work: { probe: { dueAt: in_(4), failuresInARow: 3 } } });
    expect(codes(outcome?.issues.certificate)).toEqual(['not_served_yet']);
  });

  it.each<[string, DomainTrigger, number, Date | null]>([
    ['an order at the CA failed: the backoff', failed('passing', false), 0, in_(60)],
    ['the second failure: a longer backoff', failed('user', false), 1, in_(600)],
    ['refused by the preflight: polled like DNS', failed('user', true), 0, in_(2)],
    ['the CA has a retry time', failed('rate', false, in_(7200)), 0, in_(7200)],
    ['the CA has no retry time', failed('rate', false), 0, in_(600)],
    ['a later retry time of the CA overrides the backoff', failed('passing', false, in_(3600)), 0, in_(3600)],
    ['permanent: never', failed('final', false), 0, null],
  ])('%s', (_name, trigger, failuresInARow, dueAt) => {
    const outcome = transition({ ...verified, failuresInARow }, trigger, now);
    expect(outcome?.state).toBe('verified');
    expect(outcome?.work.issuance?.dueAt).toEqual(dueAt);
  });

  it('does not increase the backoff for attempts that never reached the CA', () => {
    expect(transition({ ...verified, failuresInARow: 1 }, failed('user', true), now)?.work.issuance).not.toHaveProperty(
      'failuresInARow',
    );
  });

  it('stays verified when DNS is lost, with an issue', () => {
    const outcome = transition(verified, checked(mismatch), now);
    expect(outcome?.state).toBe('verified');
    expect(outcome?.misconfigured).toBe(false);
    expect(codes(outcome?.issues.dns)).toEqual(['dns_lost', 'no_record']);
  });

  it('begins a new generation on re-verify, which checks DNS and CAA before any attempt', () => {
    expect(transition(verified, { type: 'owner.reverify' }, now)).toMatchObject({
      state: 'verified',
      startsGeneration: true,
      work: { reverify: { dueAt: now }, issuance: { dueAt: null } },
    });
  });

  it.each([
    [
      'DNS and CAA are right',
      { kind: 'matches' as const, by: 'target' as const },
      { kind: 'permits' as const },
      { issuance: { dueAt: now }, reverify: { dueAt: null } },
    ],
    ['DNS is wrong', mismatch, { kind: 'permits' as const }, { reverify: { dueAt: in_(2) } }],
    [
      'CAA forbids issuance',
      { kind: 'matches' as const, by: 'target' as const },
      { kind: 'forbids' as const, at: 'example.com', records: [], permitting: 'x' },
      { reverify: { dueAt: in_(2) } },
    ],
    [
      'CAA is unknown',
      { kind: 'matches' as const, by: 'target' as const },
      { kind: 'unknown' as const, at: 'com', error: 'x', failures: [] },
      { reverify: { dueAt: in_(2) } },
    ],
  ])('after a re-verify where %s', (_name, dns, caa, work) => {
    expect(transition(verified, { type: 'domain.reverified', dns, caa }, now)?.work).toEqual(work);
  });
});

describe('a live domain', () => {
  it.each([
    [0, mismatch, false, 1],
    [1, mismatch, false, 2],
    [2, mismatch, true, 3],
  ])('after %d misses and another one is misconfigured: %p', (failuresInARow, dns, misconfigured, failures) => {
    const outcome = transition({ ...live, failuresInARow }, checked(dns), now);
    expect(outcome).toMatchObject({
      state: 'live',
      misconfigured,
      work: { dns: { dueAt: in_(3600), failuresInARow: failures } },
    });
  });

  it('does not count a failed lookup as a miss', () => {
    expect(transition({ ...live, failuresInARow: 2 }, checked(unknown), now)).toMatchObject({
      misconfigured: false,
      work: { dns: { dueAt: in_(3600) } },
    });
  });

  it('shows broken DNSSEC beside what it knew, and nothing else of a check without an answer', () => {
    const before = describeIssue('dns_lost', { name: live.name, expected: live.targetHost });
    const broken = describeIssue('dnssec_broken', { name: 'example.com', seen: ['SERVFAIL'] });
    const check = checked({ kind: 'unknown', issues: [broken] });
    for (const dnsIssues of [[before], [broken, before]])
      expect(transition({ ...live, dnsIssues }, check, now)).toMatchObject({
        misconfigured: false,
        issues: { dns: [broken, before] },
      });
    expect(transition({ ...live, dnsIssues: [before] }, checked(unknown), now)?.issues).toEqual({});
  });

  it('is no longer misconfigured once DNS is right', () => {
    expect(transition({ ...live, misconfigured: true, failuresInARow: 5 }, matches, now)).toMatchObject({
      misconfigured: false,
      work: { dns: { failuresInARow: 0 } },
      issues: { dns: [] },
    });
  });

  it('ignores a late re-verify', () => {
    const reverified: DomainTrigger = {
      type: 'domain.reverified',
      dns: { kind: 'matches', by: 'target' },
      caa: { kind: 'permits' },
    };
    expect(transition(live, reverified, now)).toBeNull();
  });

  it('stays live through a failed renewal', () => {
    expect(transition(live, failed('passing', false), now)?.state).toBe('live');
  });

  it('is checked at once on a click, without a change of state', () => {
    expect(transition(live, { type: 'owner.verify' }, now)).toMatchObject({
      state: 'live',
      startsGeneration: false,
      work: { dns: { dueAt: now } },
    });
  });
});
