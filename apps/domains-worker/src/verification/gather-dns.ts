import type { DnsFindings, DnsLookup, DnsQuestionType, ExpectedDns } from '@pets/contracts';
import type { DnsServer } from './dns-servers.js';

/** Longer chains are a loop or a mistake. */
const MAX_HOPS = 8;

/** Asks every server what a verdict on the name needs, and no more: a name that points at us costs one question. */
export async function gatherDns(servers: readonly DnsServer[], expected: ExpectedDns, now: Date): Promise<DnsFindings> {
  const lookups = await Promise.all(servers.map((server) => gatherFrom(server, expected)));
  return { checkedAt: now.toISOString(), lookups: lookups.flat() };
}

async function gatherFrom(server: DnsServer, expected: ExpectedDns): Promise<DnsLookup[]> {
  const ownership: Question[] = expected.ownershipHost === null ? [] : [[expected.ownershipHost, 'TXT']];
  const [routing, proof] = await Promise.all([gatherRouting(server, expected), askAll(server, ownership)]);
  return [...routing, ...proof];
}

async function gatherRouting(server: DnsServer, expected: ExpectedDns): Promise<DnsLookup[]> {
  const { name, targetHost, isApex } = expected;
  const chain = await followChain(server, name, targetHost);
  // With a CNAME an address look-up would only show where it leads, which is no conflict.
  if (chain[0]?.answer.kind !== 'absent') return chain;
  const target: Question[] = [
    [targetHost, 'A'],
    [targetHost, 'AAAA'],
  ];
  const addresses = await askAll(server, [[name, 'A'], [name, 'AAAA'], ...(isApex ? target : [])]);
  return [...chain, ...addresses];
}

async function followChain(server: DnsServer, from: string, targetHost: string): Promise<DnsLookup[]> {
  const chain: DnsLookup[] = [];
  for (let name = from; chain.length < MAX_HOPS && name !== targetHost;) {
    const lookup = await server.ask(name, 'CNAME');
    chain.push(lookup);
    const next = lookup.answer.kind === 'found' ? lookup.answer.records[0]?.value : undefined;
    if (next === undefined || chain.some((hop) => hop.name === next)) break;
    name = next;
  }
  return chain;
}

type Question = readonly [name: string, type: DnsQuestionType];

function askAll(server: DnsServer, questions: readonly Question[]): Promise<DnsLookup[]> {
  return Promise.all(questions.map(([name, type]) => server.ask(name, type)));
}
