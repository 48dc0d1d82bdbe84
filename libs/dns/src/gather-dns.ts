import { randomBytes } from 'node:crypto';
import type { DnsFindings, DnsLookup, DnsQuestionType, ExpectedDns } from '@pets/contracts';
import { boundFindings, doubledNameOf, parentOf, wildcardProbeOf, wwwNameOf, zoneProbeOf } from '@pets/domains';
import type { DnsCheck, DnsServer } from './dns-servers.js';

/** Longer chains are a loop or a mistake. */
const MAX_HOPS = 8;
const NONCE_BYTES = 8;

/**
 * Asks every server what a verdict on the name needs, and no more: a name that points at us costs three questions a server,
 * for its CNAME and for the addresses that must not be beside it. The resolvers are asked, and at the same time the servers
 * of the name's own zone; where the name does not point here, one question more looks for the usual mistake.
 */
export async function gatherDns(check: DnsCheck, expected: ExpectedDns, now: Date): Promise<DnsFindings> {
  const [resolved, own, www] = await Promise.all([
    Promise.all(check.resolvers.map((server) => gatherFrom(server, expected))),
    gatherFromZone(check, expected),
    gatherWww(check, expected),
  ]);
  const lookups = [...resolved.flat(), ...own.lookups];
  const [hops, target] = await Promise.all([
    gatherHops(check, own.lookups, lookups, expected),
    gatherTarget(check, lookups, expected),
  ]);
  const probe = await gatherProbe(check, lookups, expected);
  const findings = {
    checkedAt: now.toISOString(),
    lookups: [...lookups, ...hops, ...target, ...probe, ...www],
    ...(own.names.length > 0 && { nameServers: [...own.names] }),
  };
  return boundFindings(findings, expected);
}

async function gatherFrom(server: DnsServer, expected: ExpectedDns): Promise<DnsLookup[]> {
  const [routing, proof] = await Promise.all([gatherRouting(server, expected), gatherProof(server, expected)]);
  return [...routing, ...proof];
}

async function gatherRouting(server: DnsServer, expected: ExpectedDns): Promise<DnsLookup[]> {
  const { name, targetHost, isApex } = expected;
  const first = await server.ask(name, 'CNAME');
  if (first.answer.kind === 'failed') return [first];
  if (first.answer.kind === 'absent')
    return [first, ...(await askAll(server, [...addressesOf(name), ...(isApex ? addressesOf(targetHost) : [])]))];
  const [chain, beside] = await Promise.all([followChain(server, first, targetHost), gatherBeside(server, name)]);
  return [...chain, ...beside];
}

async function followChain(server: DnsServer, first: DnsLookup, targetHost: string): Promise<DnsLookup[]> {
  const chain = [first];
  let [next] = targetsOf(first);
  while (next !== undefined && next !== targetHost && chain.length < MAX_HOPS) {
    if (chain.some((hop) => hop.name === next)) break;
    const lookup = await server.ask(next, 'CNAME');
    chain.push(lookup);
    [next] = targetsOf(lookup);
  }
  return chain;
}

/**
 * The addresses at a name that has a CNAME as well, which no sound zone has (RFC 1034 §3.6.2). A server that knows the CNAME
 * follows it: what that leads to is another name's, and here the answer is that there is none.
 */
async function gatherBeside(server: DnsServer, name: string): Promise<DnsLookup[]> {
  const lookups = await askAll(server, addressesOf(name));
  return lookups.map(({ alias, ...lookup }) =>
    alias === undefined ? lookup : { ...lookup, answer: { kind: 'absent' } },
  );
}

/** Addresses beside a CNAME may be those of our own target, put there by a provider: for that ours have to be known. */
async function gatherTarget(
  { resolvers }: DnsCheck,
  lookups: readonly DnsLookup[],
  { name, targetHost }: ExpectedDns,
): Promise<DnsLookup[]> {
  const hasCname = lookups.some((lookup) => lookup.name === name && targetsOf(lookup).length > 0);
  const hasAddress = lookups.some((lookup) => lookup.name === name && isAddress(lookup));
  if (!hasCname || !hasAddress || lookups.some((lookup) => lookup.name === targetHost)) return [];
  return (await Promise.all(resolvers.map((server) => askAll(server, addressesOf(targetHost))))).flat();
}

/** A CNAME cannot stand at the top of a zone: a subdomain's zone is found from its parent. */
async function gatherFromZone(
  check: DnsCheck,
  expected: ExpectedDns,
): Promise<{ readonly names: readonly string[]; readonly lookups: readonly DnsLookup[] }> {
  const { name, isApex } = expected;
  const { names, servers } = await check.zoneServersOf(isApex ? name : parentOf(name));
  const lookups = await Promise.all(
    servers.map(async (server) => {
      const [first, proof] = await Promise.all([server.ask(name, 'CNAME'), gatherProof(server, expected)]);
      const addresses = first.answer.kind === 'failed' ? [] : await gatherBeside(server, name);
      return [first, ...addresses, ...proof];
    }),
  );
  return { names, lookups: lookups.flat() };
}

/**
 * Where the `www.` name of an apex may prove whose the apex is: what the apex's own servers say of its record, and of the
 * zone that it is in. A name below it that nobody has made shows that, whatever is at the name itself.
 */
async function gatherWww(check: DnsCheck, { name, wwwTargetHost }: ExpectedDns): Promise<DnsLookup[]> {
  if (wwwTargetHost === undefined) return [];
  const { zone, servers: own } = await check.zoneServersOf(name);
  if (zone !== name) return [];
  const servers = own.length > 0 ? own : check.allZonesServers;
  const www = wwwNameOf(name);
  const probe = zoneProbeOf(www, randomBytes(NONCE_BYTES).toString('hex'));
  const lookups = await Promise.all(
    servers.map((server) => Promise.all([server.ask(www, 'CNAME'), server.ask(probe, 'NS')])),
  );
  return lookups.flat();
}

/**
 * Where the zone's servers show a chain that goes on, each name on it is asked of the servers of its own zone, or of the
 * resolvers where these cannot be asked: a resolver that is still at the old record has not come that way.
 */
async function gatherHops(
  check: DnsCheck,
  own: readonly DnsLookup[],
  asked: readonly DnsLookup[],
  { name, targetHost }: ExpectedDns,
): Promise<DnsLookup[]> {
  const hops = new Set(own.flatMap(targetsOf));
  const lookups: DnsLookup[] = [];
  let count = 0;
  // A set is iterated in order of insertion, and what is added on the way comes too.
  for (const hop of hops) {
    if (hop === targetHost || hop === name) continue;
    if (++count >= MAX_HOPS) break;
    const { servers } = await check.zoneServersOf(hop);
    const answers = await Promise.all(servers.map((server) => server.ask(hop, 'CNAME')));
    if (answers.every(hasFailed) && !asked.some((lookup) => lookup.name === hop && lookup.type === 'CNAME'))
      answers.push(...(await Promise.all(check.resolvers.map((server) => server.ask(hop, 'CNAME')))));
    lookups.push(...answers);
    const known = answers.some((lookup) => !hasFailed(lookup))
      ? answers
      : asked.filter((lookup) => lookup.name === hop);
    for (const next of known.flatMap(targetsOf)) hops.add(next);
  }
  return lookups;
}

/** Was the record made with the zone twice, or is it a wildcard that answers? One question, of a resolver that answers. */
async function gatherProbe(
  { resolvers }: DnsCheck,
  lookups: readonly DnsLookup[],
  { name, targetHost, isApex }: ExpectedDns,
): Promise<DnsLookup[]> {
  const here = lookups.filter((lookup) => lookup.name === name && lookup.type !== 'TXT' && lookup.alias === undefined);
  const index = resolvers.findIndex((_server, i) => !hasFailed(lookups.filter(isFirstOf(name))[i]));
  const server = resolvers[index];
  if (server === undefined || lookups.flatMap(targetsOf).includes(targetHost)) return [];
  const seen = here.find(({ answer }) => answer.kind === 'found');
  if (seen !== undefined)
    return isApex ? [] : [await server.ask(wildcardProbeOf(name, randomBytes(NONCE_BYTES).toString('hex')), seen.type)];
  const zone = here
    .map(({ answer }) => (answer.kind === 'absent' ? answer.zone : undefined))
    .find((at) => at?.includes('.'));
  return zone === undefined ? [] : [await server.ask(doubledNameOf(name, zone), 'CNAME')];
}

function isFirstOf(name: string): (lookup: DnsLookup) => boolean {
  return (lookup) => lookup.name === name && lookup.type === 'CNAME' && !lookup.isAuthoritative;
}

function gatherProof(server: DnsServer, { ownershipHost }: ExpectedDns): Promise<DnsLookup[]> {
  return askAll(server, ownershipHost === null ? [] : [[ownershipHost, 'TXT']]);
}

type Question = readonly [name: string, type: DnsQuestionType];

function addressesOf(name: string): Question[] {
  return [
    [name, 'A'],
    [name, 'AAAA'],
  ];
}

function askAll(server: DnsServer, questions: readonly Question[]): Promise<DnsLookup[]> {
  return Promise.all(questions.map(([name, type]) => server.ask(name, type)));
}

function targetsOf({ type, answer }: DnsLookup): string[] {
  return type === 'CNAME' && answer.kind === 'found' ? answer.records.map(({ value }) => value) : [];
}

function isAddress({ type, answer }: DnsLookup): boolean {
  return (type === 'A' || type === 'AAAA') && answer.kind === 'found';
}

function hasFailed(lookup: DnsLookup | undefined): boolean {
  return lookup === undefined || lookup.answer.kind === 'failed';
}
