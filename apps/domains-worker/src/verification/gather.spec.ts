import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, ExpectedDns } from '@pets/contracts';
import type { DnsServer } from './dns-servers.js';
import { gatherCaa } from './gather-caa.js';
import { gatherDns } from './gather-dns.js';

const target = 't1.cname.pets.example';
const subdomain: ExpectedDns = { name: 'docs.acme.example', isApex: false, targetHost: target, ownershipHost: null };
const apex: ExpectedDns = { name: 'acme.example', isApex: true, targetHost: target, ownershipHost: null };
const cname = (value: string): DnsAnswer => ({ kind: 'found', records: [{ value, ttl: null }] });
const failed: DnsAnswer = { kind: 'failed', error: 'ESERVFAIL' };

/** A server of fixed answers; what it does not have is absent. */
function serverOf(answers: Record<string, DnsAnswer>): DnsServer {
  return {
    ask: async (name, type) => ({
      name,
      type,
      server: '192.0.2.1:53',
      answer: answers[`${type} ${name}`] ?? { kind: 'absent' },
    }),
  };
}

async function questionsAbout(expected: ExpectedDns, answers: Record<string, DnsAnswer>): Promise<string[]> {
  const { lookups } = await gatherDns([serverOf(answers)], expected, new Date());
  return lookups.map(({ type, name }) => `${type} ${name}`);
}

describe('gatherDns', () => {
  it('asks one question of a name that points at us', async () => {
    expect(await questionsAbout(subdomain, { 'CNAME docs.acme.example': cname(target) })).toEqual([
      'CNAME docs.acme.example',
    ]);
  });

  it('follows a chain to the target and stops there', async () => {
    const answers = { 'CNAME docs.acme.example': cname('a.example'), 'CNAME a.example': cname(target) };
    expect(await questionsAbout(subdomain, answers)).toEqual(['CNAME docs.acme.example', 'CNAME a.example']);
  });

  it('looks for addresses only where there is no CNAME', async () => {
    expect(await questionsAbout(subdomain, {})).toEqual([
      'CNAME docs.acme.example',
      'A docs.acme.example',
      'AAAA docs.acme.example',
    ]);
    expect(await questionsAbout(subdomain, { 'CNAME docs.acme.example': cname('elsewhere.example') })).toEqual([
      'CNAME docs.acme.example',
      'CNAME elsewhere.example',
    ]);
  });

  it('asks nothing more where the first look-up failed', async () => {
    expect(await questionsAbout(subdomain, { 'CNAME docs.acme.example': failed })).toEqual(['CNAME docs.acme.example']);
  });

  it('asks for the addresses of the target too for an apex', async () => {
    expect(await questionsAbout(apex, {})).toEqual([
      'CNAME acme.example',
      'A acme.example',
      'AAAA acme.example',
      `A ${target}`,
      `AAAA ${target}`,
    ]);
  });

  it('asks for the proof where one is wanted', async () => {
    const wanted = { ...subdomain, ownershipHost: '_platform-challenge.docs.acme.example' };
    const answers = { 'CNAME docs.acme.example': cname(target) };
    expect(await questionsAbout(wanted, answers)).toEqual([
      'CNAME docs.acme.example',
      'TXT _platform-challenge.docs.acme.example',
    ]);
  });

  it('ends in a loop of CNAMEs', async () => {
    const answers = { 'CNAME docs.acme.example': cname('a.example'), 'CNAME a.example': cname('docs.acme.example') };
    expect(await questionsAbout(subdomain, answers)).toHaveLength(2);
  });

  it('gives up a chain after eight hops', async () => {
    const hops = Array.from({ length: 20 }, (_hop, index) => [
      `CNAME h${index}.example`,
      cname(`h${index + 1}.example`),
    ]);
    const answers = {
      'CNAME docs.acme.example': cname('h0.example'),
      ...(Object.fromEntries(hops) as Record<string, DnsAnswer>),
    };
    expect(await questionsAbout(subdomain, answers)).toHaveLength(8);
  });
});

describe('gatherCaa', () => {
  it('asks at the name and at each parent, not at the root', async () => {
    const lookups = await gatherCaa([serverOf({})], 'docs.acme.example');
    expect(lookups.map(({ name, type }) => `${type} ${name}`)).toEqual([
      'CAA docs.acme.example',
      'CAA acme.example',
      'CAA example',
    ]);
  });
});
