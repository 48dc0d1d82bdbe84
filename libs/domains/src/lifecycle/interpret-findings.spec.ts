import { describe, expect, it } from '@jest/globals';
import type { CaaVerdict, DnsAnswer, DnsFindings, ExpectedDns } from '@pets/contracts';
import {
  absent,
  apex,
  failed,
  findings,
  found,
  nothing,
  ofZone,
  onServer,
  ours,
  sub,
  target,
  type Asked,
} from '../../test/dns-findings.js';
import { wildcardProbeOf, zoneProbeOf } from '../dns/probes.js';
import { interpretDnsCheck, interpretReverify, type CheckContext, type CheckedDomain } from './interpret-findings.js';

const now = new Date('2026-01-01T00:00:05Z');
const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const token = 'pets-proof-1';
const address = '198.51.100.7';
const listed = { address, retiringSince: null };

const domain: CheckedDomain = {
  // Its beginning says when its owner is warned of an address that is given up: at once.
  id: '00000000-0000-4000-8000-000000000000',
  name: sub.name,
  state: 'awaiting_dns',
  nameServers: ['ns1.example.net', 'ns2.example.net'],
  ownershipToken: token,
  hasOtherClaims: false,
  isClaimedElsewhere: false,
};
const context = (expected: Partial<ExpectedDns> = {}): CheckContext => ({
  expected: { ...sub, addresses: [address], ...expected },
  addresses: [listed],
  now,
});
const proofHostOf = (name: string) => `_platform-challenge.${name}`;

/** The answers about a name that points here, about one that shows our address, and about the proof. */
const pointing: Asked[] = [[sub.name, 'CNAME', found(target)], ...ours];
const showing = (name: string): Asked[] => [
  [name, 'CNAME', absent],
  [name, 'A', found(address)],
  [name, 'AAAA', absent],
];
const proof = (name: string, answer: DnsAnswer): Asked[] => [
  [proofHostOf(name), 'TXT', answer],
  [wildcardProbeOf(proofHostOf(name), '0123456789abcdef'), 'TXT', absent],
];
const seen = (...asked: readonly Asked[][]) => findings(onServer('192.0.2.53:53', asked.flat()));

const check = (
  seenInDns: DnsFindings,
  changes: Partial<CheckedDomain> = {},
  expected: Partial<ExpectedDns> = {},
  others: readonly string[] = [],
) => {
  const { trigger, observations } = interpretDnsCheck(
    { ...domain, ...changes },
    seenInDns,
    others,
    context({ name: changes.name ?? sub.name, ...expected }),
  );
  if (trigger.type !== 'dns.checked') throw new Error(`a check became ${trigger.type}`);
  return { ...trigger, observations };
};
const notesOf = ({ dns }: ReturnType<typeof check>): readonly string[] =>
  dns.kind === 'matches' ? (dns.notes ?? []).map(({ code }) => code) : [dns.kind];

const apexNamed = { name: apex.name };
const isApex = { isApex: true };
const proven = seen(showing(apex.name), proof(apex.name, found(token)));
const unproven = seen(showing(apex.name), proof(apex.name, absent));
const unanswered = seen(showing(apex.name), proof(apex.name, failed));

describe('a check of a name that points here', () => {
  it('needs no proof of ownership', () => {
    expect(check(seen(pointing))).toMatchObject({
      type: 'dns.checked',
      dns: { kind: 'matches', by: 'target' },
      ownership: null,
      challenges: null,
      isClaimedElsewhere: false,
      hasNewNameServers: false,
    });
  });

  it.each<[string, string | null, readonly string[]]>([
    ['is in a zone above: its CNAME is right', 'js.org', []],
    ['is a zone of its own', 'acme.js.org', ['apex_cname_to_us']],
    ['gets a zone of its own from the registry', 'org', ['apex_cname_to_us']],
    ['is in an unknown zone', null, ['apex_cname_to_us']],
  ])('and is an apex by the list of public suffixes, %s', (_where, zone, notes) => {
    const name = 'acme.js.org';
    const asked: Asked[] = [[name, 'CNAME', found(target)], ...ours];
    expect(notesOf(check({ ...seen(asked), zone }, { name }, isApex))).toEqual(notes);
    const caa: CaaVerdict = { kind: 'permits' };
    const { trigger } = interpretReverify(
      { ...domain, name },
      { findings: { ...seen(asked), zone }, caa },
      context({ name, ...isApex }),
    );
    expect(trigger).toMatchObject({ dns: { kind: 'matches' } });
    expect(JSON.stringify(trigger).includes('apex_cname_to_us')).toBe(notes.length > 0);
  });

  it('needs it where another organization has the name', () => {
    const changes = { hasOtherClaims: true, isClaimedElsewhere: true };
    const lookups = seen(pointing, proof(sub.name, found(token)));
    expect(check(lookups, changes)).toMatchObject({
      ownership: { verdict: { kind: 'proven' }, host: proofHostOf(sub.name), token },
      isClaimedElsewhere: true,
    });
  });
});

describe('the proof of an apex that shows our address', () => {
  it.each<[string, DnsFindings, string]>([
    ['is in the zone', proven, 'proven'],
    ['is not in the zone', unproven, 'refuted'],
    ['is not known: the lookup failed', unanswered, 'unknown'],
    [
      'was not looked up, since the check began before another claim: it needs another check',
      seen(showing(apex.name)),
      'refuted',
    ],
    ['was looked up at another name', seen(showing(apex.name), proof(sub.name, found(token))), 'refuted'],
    [
      'was looked up with another type',
      seen(showing(apex.name), [[proofHostOf(apex.name), 'CNAME', found(token)]]),
      'refuted',
    ],
  ])('%s', (_name, lookups, kind) => {
    expect(check(lookups, apexNamed, isApex).ownership?.verdict.kind).toBe(kind);
  });

  it('is its www name as well', () => {
    const www: Asked[] = [
      ['www.example.com', 'CNAME', found('w0k.cname.pets.example')],
      [zoneProbeOf('www.example.com', '0123456789abcdef'), 'NS', { kind: 'absent', zone: 'example.com', ttl: 5 }],
    ];
    const lookups = findings(onServer('r', showing(apex.name)), ofZone('ns1', www));
    const expected = { ...isApex, wwwTargetHost: 'w0k.cname.pets.example' };
    expect(check(lookups, apexNamed, expected).ownership).toBeNull();
    expect(check(lookups, apexNamed, isApex).ownership).not.toBeNull();
  });

  it.each<[string, Partial<CheckedDomain>, Partial<ExpectedDns>, DnsFindings, Date | null | undefined]>([
    ['found', apexNamed, isApex, proven, now],
    ['missing', apexNamed, isApex, unproven, null],
    ['unknown', apexNamed, isApex, unanswered, undefined],
    ['not required', {}, {}, seen(pointing), undefined],
    ['missing, after verification', { ...apexNamed, state: 'live' }, isApex, unproven, undefined],
  ])('%s: its time is stored only before verification', (_name, changes, expected, lookups, provenAt) => {
    expect(check(lookups, changes, expected).observations.ownershipProvenAt).toEqual(provenAt);
  });
});

describe('the delegation of challenges', () => {
  const hostOf = (name: string) => `_acme-challenge.${name}`;
  const delegated = (name: string, to = 'd0k.acme.pets.example'): Asked[] => [[hostOf(name), 'CNAME', found(to)]];
  const claimed = { hasOtherClaims: true };
  const expected = { delegation: { host: hostOf('docs.example.com'), target: 'd0k.acme.pets.example' } };
  const wildcard = { name: '*.docs.example.com', ...claimed };

  it('proves the ownership of a name', () => {
    const found_ = check(seen(pointing, delegated(sub.name)), claimed, expected);
    expect(found_).toMatchObject({ challenges: { kind: 'delegated' }, ownership: { verdict: { kind: 'proven' } } });
  });

  it('to another place proves nothing', () => {
    const found_ = check(seen(pointing, delegated(sub.name, 'x.example.net')), claimed, expected);
    expect(found_).toMatchObject({ challenges: { kind: 'elsewhere' }, ownership: { verdict: { kind: 'refuted' } } });
  });

  it('does not prove that a wildcard may cover the names of others; its TXT record does', () => {
    const lookups = [pointing, delegated('docs.example.com')] as const;
    expect(check(seen(...lookups), wildcard, expected)).toMatchObject({
      challenges: { kind: 'delegated' },
      ownership: { verdict: { kind: 'refuted' }, host: proofHostOf('docs.example.com') },
    });
    expect(
      check(seen(...lookups, proof('docs.example.com', found(token))), wildcard, expected).ownership?.verdict.kind,
    ).toBe('proven');
  });

  it('is all that a wildcard needs where nobody else has the name', () => {
    const lookups = seen(showing('*.docs.example.com'), delegated('docs.example.com'));
    expect(check(lookups, { name: wildcard.name }, expected).ownership).toBeNull();
  });
});

describe('the note about proofs of other organizations', () => {
  it.each<[string, Partial<CheckedDomain>, DnsFindings, boolean]>([
    ['is for the holder of the name', { state: 'live' }, unproven, true],
    ['is for the one who proves it', {}, proven, true],
    ['is not for one who awaits the own proof', {}, unproven, false],
    ['is not for one whose proof could not be looked up', {}, unanswered, false],
  ])('%s', (_name, changes, lookups, isNoted) => {
    const notes = notesOf(check(lookups, { ...apexNamed, ...changes }, isApex, ['pets-proof-2']));
    expect(notes.includes('ownership_txt_of_others')).toBe(isNoted);
  });

  it('is for a name that needs no proof', () => {
    const lookups = seen(showing('*.docs.example.com'));
    const notes = notesOf(check(lookups, { name: '*.docs.example.com' }, {}, ['pets-proof-2']));
    expect(notes).toContain('ownership_txt_of_others');
  });

  it('names the host and the name', () => {
    const { dns } = check(proven, apexNamed, isApex, ['pets-proof-2']);
    expect(dns).toMatchObject({
      notes: expect.arrayContaining([
        expect.objectContaining({
          code: 'ownership_txt_of_others',
          evidence: { name: apex.name, host: proofHostOf(apex.name), seen: ['pets-proof-2'] },
        }),
      ]),
    });
  });
});

describe('the name servers of the zone', () => {
  it.each<[string, readonly string[] | null, boolean]>([
    ['unknown', null, false],
    ['the same, in another order', ['ns2.example.net', 'ns1.example.net'], false],
    ['one fewer', ['ns1.example.net'], true],
    ['one more', ['ns1.example.net', 'ns2.example.net', 'ns3.example.net'], true],
    ['one in the place of another', ['ns1.example.net', 'ns3.example.net'], true],
  ])('%s', (_name, nameServers, areNew) => {
    const { hasNewNameServers, observations } = check({
      ...seen(pointing),
      nameServers: nameServers && [...nameServers],
    });
    expect(hasNewNameServers).toBe(areNew);
    expect(observations.nameServers).toEqual(nameServers ?? undefined);
  });
});

describe('the observations of a check', () => {
  it('are its time, the records, the zone, and our addresses that it saw', () => {
    expect(check({ ...seen(pointing), zone: 'example.com' }).observations).toEqual({
      checkedAt: new Date('2026-01-01T00:00:00Z'),
      observed: [{ type: 'CNAME', name: sub.name, value: target, ttl: 60, resolver: '192.0.2.53:53' }],
      zone: 'example.com',
      matchedAddresses: null,
    });
    expect(check(seen(showing(sub.name))).observations).toMatchObject({ matchedAddresses: [address] });
  });

  it('say nothing that no server has answered', () => {
    const unknown = seen(nothing.map(([name, type]): Asked => [name, type, failed]));
    expect(check(unknown).observations).toEqual({ checkedAt: new Date('2026-01-01T00:00:00Z'), observed: [] });
  });
});

describe('an address of ours that is given up', () => {
  const retiring = (retiringSince: Date) => ({
    ...context({ ...apex, addresses: [address] }),
    addresses: [{ address, retiringSince }],
  });
  const live = { ...domain, ...apexNamed, state: 'live' } as const;

  it.each<[string, string, Date, boolean]>([
    ['at once', domain.id, now, true],
    ['not before half a day', '80000000-0000-4000-8000-000000000000', inHours(-11), false],
    ['after half a day', '80000000-0000-4000-8000-000000000000', inHours(-12), true],
  ])('is a warning for a name that shows it: %s', (_name, id, since, isWarned) => {
    const { trigger } = interpretDnsCheck({ ...live, id }, proven, [], retiring(since));
    const notes = trigger.type === 'dns.checked' && trigger.dns.kind === 'matches' ? trigger.dns.notes : undefined;
    expect((notes ?? []).some(({ code }) => code === 'address_retiring')).toBe(isWarned);
  });
});

describe('a check before a renewal', () => {
  const caa: CaaVerdict = { kind: 'permits' };

  it('becomes the verdicts about the records and CAA, without a proof', () => {
    const { trigger, observations } = interpretReverify(
      { ...domain, state: 'live' },
      { findings: seen(pointing), caa },
      context(),
    );
    expect(trigger).toEqual({ type: 'domain.reverified', dns: { kind: 'matches', by: 'target' }, caa });
    expect(observations).toMatchObject({ checkedAt: new Date('2026-01-01T00:00:00Z'), matchedAddresses: null });
    expect(observations).not.toHaveProperty('ownershipProvenAt');
  });
});
