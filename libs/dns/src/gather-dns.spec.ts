import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, ExpectedDns } from '@pets/contracts';
import { expectedDns } from '@pets/testing';
import type { DnsCheck, DnsServer } from './dns-servers.js';
import { gatherCaa, gatherDns } from './gather-dns.js';

const target = 't1.cname.pets.example';
const subdomain = expectedDns({ name: 'docs.acme.example', targetHost: target });
const apex = expectedDns({ name: 'acme.example', isApex: true, targetHost: target });
const cname = (value: string): DnsAnswer => ({ kind: 'found', records: [{ value, ttl: null }] });
const failed: DnsAnswer = { kind: 'failed', error: 'SERVFAIL' };
const absentIn = (zone: string): DnsAnswer => ({ kind: 'absent', zone, ttl: 5 });

type Answers = Record<string, DnsAnswer>;

/** A server with fixed answers; all other records are absent. */
function serverOf(answers: Answers, isAuthoritative = false): DnsServer {
  return {
    query: async (name, type) => ({
      name,
      type,
      server: isAuthoritative ? '192.0.2.2:53' : '192.0.2.1:53',
      ...(isAuthoritative && { isAuthoritative }),
      answer: answers[`${type} ${name}`] ?? { kind: 'absent' },
    }),
  };
}

/** Finds the zones of the test; a lookup of any other zone fails the test. */
function checkOf(answers: Answers, zones: Record<string, Answers | null> = {}): DnsCheck {
  return {
    allZonesServers: [],
    resolvers: [serverOf(answers)],
    zoneServersOf: async (name) => {
      const zone = zones[name];
      if (zone === undefined && Object.keys(zones).length > 0)
        throw new Error(`unexpected lookup of the zone of ${name}`);
      return { zone: name, names: [], servers: zone ? [serverOf(zone, true)] : [] };
    },
  };
}

async function questionsAbout(expected: ExpectedDns, answers: Answers, zones?: Record<string, Answers | null>) {
  const { lookups } = await gatherDns(checkOf(answers, zones), expected, new Date());
  return lookups.map(({ type, name, isAuthoritative }) => `${isAuthoritative ? 'zone ' : ''}${type} ${name}`);
}

const isOfChain = (question: string) => question.startsWith('CNAME') && !question.includes('probe');

describe('gatherDns', () => {
  const addresses = ['A docs.acme.example', 'AAAA docs.acme.example'];

  it('looks for addresses beside the CNAME of a name that points here', async () => {
    expect(await questionsAbout(subdomain, { 'CNAME docs.acme.example': cname(target) })).toEqual([
      'CNAME docs.acme.example',
      ...addresses,
    ]);
  });

  it('asks for the addresses of the target where there are some', async () => {
    const answers = { 'CNAME docs.acme.example': cname(target), 'A docs.acme.example': cname('192.0.2.1') };
    const asked = ['CNAME docs.acme.example', ...addresses, `A ${target}`, `AAAA ${target}`];
    expect(await questionsAbout(subdomain, answers)).toEqual(asked);
    const right = { 'CNAME docs.acme.example': cname(target) };
    expect(await questionsAbout(subdomain, right, { 'acme.example': answers })).toEqual([
      'CNAME docs.acme.example',
      ...addresses,
      'zone CNAME docs.acme.example',
      'zone A docs.acme.example',
      'zone AAAA docs.acme.example',
      `A ${target}`,
      `AAAA ${target}`,
    ]);
  });

  it('looks for the delegation of challenges at resolvers and name servers', async () => {
    const delegation = { host: '_acme-challenge.docs.acme.example', target: '0a1b.acme.pets.example' };
    const delegated = { ...subdomain, delegation };
    const answers = {
      'CNAME docs.acme.example': cname(target),
      [`CNAME ${delegation.host}`]: cname(delegation.target),
    };
    const isOfDelegation = (question: string) => question.includes(delegation.host);
    const questions = await questionsAbout(delegated, answers, { 'acme.example': answers });
    expect(questions.filter(isOfDelegation)).toEqual([
      `CNAME ${delegation.host}`,
      `zone CNAME ${delegation.host}`,
      `zone TXT ${delegation.host}`,
    ]);
    const plain = { 'CNAME docs.acme.example': cname(target) };
    expect((await questionsAbout(delegated, plain, { 'acme.example': plain })).filter(isOfDelegation)).toEqual([
      `CNAME ${delegation.host}`,
      `zone CNAME ${delegation.host}`,
    ]);
    expect(questions).not.toContain(`CNAME ${delegation.target}`);
    const wrong = { ...answers, [`CNAME ${delegation.host}`]: cname('other.example') };
    expect((await questionsAbout(delegated, wrong)).filter(isOfDelegation)).toEqual([
      `CNAME ${delegation.host}`,
      `TXT ${delegation.host}`,
    ]);
  });

  it('follows a chain to the target and stops there', async () => {
    const answers = { 'CNAME docs.acme.example': cname('a.example'), 'CNAME a.example': cname(target) };
    expect(await questionsAbout(subdomain, answers)).toEqual([
      'CNAME docs.acme.example',
      'CNAME a.example',
      ...addresses,
    ]);
  });

  it('looks for addresses where there is no CNAME', async () => {
    expect(await questionsAbout(subdomain, {})).toEqual(['CNAME docs.acme.example', ...addresses]);
  });

  it('checks for a wildcard where the name points elsewhere', async () => {
    const elsewhere = await questionsAbout(subdomain, { 'CNAME docs.acme.example': cname('elsewhere.example') });
    expect(elsewhere).toEqual([
      'CNAME docs.acme.example',
      'CNAME elsewhere.example',
      ...addresses,
      expect.stringMatching(/^CNAME wildcard-probe-[0-9a-f]{16}\.acme\.example$/),
    ]);
    const address = await questionsAbout(subdomain, { 'A docs.acme.example': cname('192.0.2.1') });
    expect(address.at(-1)).toMatch(/^A wildcard-probe-/);
  });

  it('checks for the zone written twice where there is no record', async () => {
    const answers = { 'CNAME docs.acme.example': absentIn('acme.example') };
    expect((await questionsAbout(subdomain, answers)).at(-1)).toBe('CNAME docs.acme.example.acme.example');
    const unregistered = { 'CNAME docs.acme.example': absentIn('example') };
    expect((await questionsAbout(subdomain, unregistered)).at(-1)).toBe('AAAA docs.acme.example');
  });

  it('sends no more queries after a failed lookup', async () => {
    expect(await questionsAbout(subdomain, { 'CNAME docs.acme.example': failed })).toEqual(['CNAME docs.acme.example']);
  });

  it('asks for the addresses of the target where the name has addresses of its own', async () => {
    const own = ['CNAME acme.example', 'A acme.example', 'AAAA acme.example'];
    expect(await questionsAbout(apex, {})).toEqual(own);
    const questions = await questionsAbout(apex, { 'A acme.example': cname('192.0.2.1') });
    expect(questions).toEqual([...own, `A ${target}`, `AAAA ${target}`]);
  });

  describe('the proof of a name that may match by address', () => {
    const host = '_platform-challenge.docs.acme.example';
    const wanted = { ...subdomain, ownershipHost: host, ownershipToken: 't0k', isProofByAddress: true };
    const flat = { 'A docs.acme.example': cname('192.0.2.1') };
    const about = async (answers: Answers) =>
      (await questionsAbout(wanted, answers, { 'acme.example': answers })).filter((question) =>
        question.includes('TXT'),
      );

    it.each<[string, Answers]>([
      ['shows the CNAME', { 'CNAME docs.acme.example': cname(target) }],
      ['has no record', {}],
      ['cannot be looked up', { 'CNAME docs.acme.example': failed }],
    ])('is not looked up where the name %s', async (_case, answers) => {
      expect(await about(answers)).toEqual([]);
    });

    it('is looked up at resolvers and name servers where the name shows addresses', async () => {
      expect(await about(flat)).toEqual([`TXT ${host}`, `zone TXT ${host}`]);
      expect(await about({ ...flat, [`TXT ${host}`]: cname('another') })).toEqual([`TXT ${host}`, `zone TXT ${host}`]);
    });

    it('is compared with a sibling where it has the token, which a wildcard may have', async () => {
      const sibling = /^(?:zone )?TXT wildcard-probe-[0-9a-f]{16}\.docs\.acme\.example$/;
      expect(await about({ ...flat, [`TXT ${host}`]: cname('t0k') })).toEqual([
        `TXT ${host}`,
        expect.stringMatching(sibling),
        `zone TXT ${host}`,
        expect.stringMatching(sibling),
      ]);
    });
  });

  it.each<[string, ExpectedDns, Answers, string | null]>([
    ['of the SOA', subdomain, { 'CNAME docs.acme.example': absentIn('acme.example') }, 'acme.example'],
    [
      'of a name that is a zone itself',
      subdomain,
      { 'CNAME docs.acme.example': absentIn('docs.acme.example') },
      'docs.acme.example',
    ],
    ['unknown where the name has a CNAME', subdomain, { 'CNAME docs.acme.example': cname(target) }, null],
  ])('reports the zone of the name: %s', async (_case, expected, answers, zone) => {
    expect((await gatherDns(checkOf(answers), expected, new Date())).zone).toBe(zone);
  });

  it('looks up the proof of ownership where it is required', async () => {
    const wanted = { ...subdomain, ownershipHost: '_platform-challenge.docs.acme.example' };
    const answers = { 'CNAME docs.acme.example': cname(target) };
    expect(await questionsAbout(wanted, answers, { 'acme.example': answers })).toEqual([
      'CNAME docs.acme.example',
      ...addresses,
      'TXT _platform-challenge.docs.acme.example',
      'zone CNAME docs.acme.example',
      ...addresses.map((question) => `zone ${question}`),
      'zone TXT _platform-challenge.docs.acme.example',
    ]);
  });

  it.each<[string, DnsAnswer, string[]]>([
    ['is looked up with the zone twice where it is missing', absentIn('acme.example'), ['.acme.example']],
    ['is not, where it is there', cname('t0k'), []],
    ['is not, where another value is there', cname('x'), []],
    ['is not, where no server says the zone', failed, []],
  ])('the proof of ownership %s', async (_case, answer, zones) => {
    const host = '_platform-challenge.docs.acme.example';
    const wanted = { ...subdomain, ownershipHost: host, ownershipToken: 't0k' };
    const asked = await questionsAbout(wanted, { 'CNAME docs.acme.example': cname(target), [`TXT ${host}`]: answer });
    expect(asked.filter((question) => question.startsWith(`TXT ${host}.`))).toEqual(
      zones.map((zone) => `TXT ${host}${zone}`),
    );
  });

  it('ends in a loop of CNAMEs', async () => {
    const answers = { 'CNAME docs.acme.example': cname('a.example'), 'CNAME a.example': cname('docs.acme.example') };
    expect((await questionsAbout(subdomain, answers)).slice(0, -1)).toEqual([
      'CNAME docs.acme.example',
      'CNAME a.example',
      ...addresses,
    ]);
  });

  it('stops following a chain after eight hops, at resolvers and zones', async () => {
    const hops = Array.from({ length: 20 }, (_hop, index): [string, DnsAnswer] => [
      `CNAME h${index}.example`,
      cname(`h${index + 1}.example`),
    ]);
    const answers = { 'CNAME docs.acme.example': cname('h0.example'), ...Object.fromEntries(hops) };
    expect((await questionsAbout(subdomain, answers)).filter(isOfChain)).toHaveLength(8);
    const zones = Object.fromEntries(['acme.example', ...hops.map(([key]) => key.slice(6))].map((at) => [at, answers]));
    const asked = await questionsAbout(subdomain, answers, zones);
    expect(asked.filter((question) => question.startsWith('zone CNAME'))).toHaveLength(8);
  });
});

describe('gatherDns from the servers of the zone', () => {
  it('looks for the zone above a subdomain and at an apex', async () => {
    const found = { 'CNAME docs.acme.example': cname(target) };
    expect(await questionsAbout(subdomain, found, { 'acme.example': found })).toEqual([
      'CNAME docs.acme.example',
      'A docs.acme.example',
      'AAAA docs.acme.example',
      'zone CNAME docs.acme.example',
      'zone A docs.acme.example',
      'zone AAAA docs.acme.example',
    ]);
    expect(await questionsAbout(apex, {}, { 'acme.example': {} })).toContain('zone AAAA acme.example');
  });

  it('asks each name of a chain of the servers of its own zone', async () => {
    const own = { 'CNAME docs.acme.example': cname('hop.other.example') };
    const other = { 'CNAME hop.other.example': cname(target) };
    expect(await questionsAbout(subdomain, {}, { 'acme.example': own, 'hop.other.example': other })).toContain(
      'zone CNAME hop.other.example',
    );
  });

  it('asks the resolvers for a name of a chain whose zone has no reachable server', async () => {
    const own = { 'CNAME docs.acme.example': cname('hop.other.example') };
    const zones = { 'acme.example': own, 'hop.other.example': null };
    expect(await questionsAbout(subdomain, {}, zones)).toContain('CNAME hop.other.example');
  });
});

describe('gatherCaa', () => {
  it('asks at the name and at each parent, not at the root', async () => {
    const lookups = await gatherCaa(checkOf({}), subdomain);
    expect(lookups.map(({ name, type }) => `${type} ${name}`)).toEqual([
      'CAA docs.acme.example',
      'CAA acme.example',
      'CAA example',
    ]);
  });

  it('queries the zone’s own servers for the names in the zone', async () => {
    const lookups = await gatherCaa(checkOf({}, { 'acme.example': {} }), subdomain);
    expect(lookups.filter(({ isAuthoritative }) => isAuthoritative).map(({ name }) => name)).toEqual([
      'docs.acme.example',
      'acme.example',
    ]);
  });
});
