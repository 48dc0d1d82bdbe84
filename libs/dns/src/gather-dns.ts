import { randomBytes } from 'node:crypto';
import { isWildcard, type DnsFindings, type DnsLookup, type DnsQuestionType, type ExpectedDns } from '@pets/contracts';
import {
  baseNameOf,
  boundFindings,
  doubledNameOf,
  isWildcardProbe,
  parentOf,
  registrableDomainOf,
  wildcardProbeOf,
  wwwNameOf,
  zoneProbeOf,
} from '@pets/domains';
import type { DnsCheck, DnsServer } from './dns-servers.js';
import { gatherDelegation, gatherDoubledProof, gatherProof, gatherProofByAddress } from './gather-control.js';

/** Longer chains are a loop or a mistake. */
const MAX_CNAME_HOPS = 8;
const NONCE_BYTES = 8;

/**
 * Queries the resolvers and, concurrently, the authoritative servers of the name for the records that `evaluateDns` needs. A
 * name that points here takes three queries per server: its CNAME, and the A and AAAA records that must not exist beside it.
 * For a name that does not point here, another query checks for a common mistake.
 *
 * Of a wildcard, a random name below its base is queried, as a visitor does: a server answers it from the wildcard record. The
 * answers are returned as those of the wildcard.
 */
export async function gatherDns(check: DnsCheck, expected: ExpectedDns, now: Date): Promise<DnsFindings> {
  const { name } = expected;
  if (!isWildcard(name)) return boundFindings(await gatherFindings(check, expected, now), expected);
  const covered = wildcardProbeOf(name, randomBytes(NONCE_BYTES).toString('hex'));
  const findings = await gatherFindings(check, { ...expected, name: covered }, now);
  // Also the name with the zone twice.
  const lookups = findings.lookups.map((lookup) =>
    lookup.name.startsWith(covered) ? { ...lookup, name: `${name}${lookup.name.slice(covered.length)}` } : lookup,
  );
  return boundFindings({ ...findings, lookups }, expected);
}

async function gatherFindings(check: DnsCheck, expected: ExpectedDns, now: Date): Promise<DnsFindings> {
  const [resolved, own, www, delegation] = await Promise.all([
    Promise.all(check.resolvers.map((server) => gatherFrom(server, expected))),
    gatherFromZone(check, expected),
    gatherWwwAlias(check, expected),
    gatherDelegation(check, expected),
  ]);
  const lookups = [...resolved.flat(), ...own.lookups];
  const [hops, target, proof] = await Promise.all([
    gatherHops(check, own.lookups, lookups, expected),
    gatherTarget(check, lookups, expected),
    hasAddress(lookups, expected.name) ? gatherProofByAddress([...check.resolvers, ...own.servers], expected) : [],
  ]);
  const zone = zoneOf(resolved.flat(), expected.name) ?? own.zone;
  const [probe, doubled, parents] = await Promise.all([
    gatherProbe(check, lookups, expected),
    gatherDoubledProof(check, [...lookups, ...proof], expected),
    gatherParents(check, resolved, expected),
  ]);
  return {
    checkedAt: now.toISOString(),
    lookups: [...lookups, ...hops, ...target, ...proof, ...probe, ...doubled, ...parents, ...www, ...delegation],
    nameServers: own.names.length > 0 ? [...own.names] : null,
    zone,
  };
}

async function gatherFrom(server: DnsServer, expected: ExpectedDns): Promise<DnsLookup[]> {
  const [routing, proof] = await Promise.all([gatherRouting(server, expected), gatherProof(server, expected)]);
  return [...routing, ...proof];
}

async function gatherRouting(server: DnsServer, { name, targetHost }: ExpectedDns): Promise<DnsLookup[]> {
  const first = await server.query(name, 'CNAME');
  if (first.answer.kind === 'failed') return [first];
  if (first.answer.kind === 'absent') return [first, ...(await queryAll(server, addressesOf(name)))];
  const [chain, conflicting] = await Promise.all([
    followChain(server, first, targetHost),
    gatherConflicting(server, name),
  ]);
  return [...chain, ...conflicting];
}

async function followChain(server: DnsServer, first: DnsLookup, targetHost: string): Promise<DnsLookup[]> {
  const chain = [first];
  let [next] = targetsOf(first);
  while (next !== undefined && next !== targetHost && chain.length < MAX_CNAME_HOPS) {
    if (chain.some((hop) => hop.name === next)) break;
    const lookup = await server.query(next, 'CNAME');
    chain.push(lookup);
    [next] = targetsOf(lookup);
  }
  return chain;
}

/**
 * Addresses at a name that also has a CNAME, which a correct zone does not have (RFC 1034 §3.6.2). A server that follows the
 * CNAME returns the addresses of another name: those count as absent.
 */
async function gatherConflicting(server: DnsServer, name: string): Promise<DnsLookup[]> {
  const lookups = await queryAll(server, addressesOf(name));
  return lookups.map((lookup) => (lookup.alias === undefined ? lookup : { ...lookup, answer: { kind: 'absent' } }));
}

/**
 * A DNS provider may put the addresses of our target in place of the CNAME or beside it. To recognize them, the target is
 * looked up.
 */
async function gatherTarget(
  { resolvers }: DnsCheck,
  lookups: readonly DnsLookup[],
  { name, targetHost }: ExpectedDns,
): Promise<DnsLookup[]> {
  if (!hasAddress(lookups, name)) return [];
  return (await Promise.all(resolvers.map((server) => queryAll(server, addressesOf(targetHost))))).flat();
}

interface ZoneFindings {
  readonly names: readonly string[];
  readonly servers: readonly DnsServer[];
  readonly lookups: readonly DnsLookup[];
  /** Null if unknown. */
  readonly zone: string | null;
}

/** A name with a CNAME is not the apex of a zone, so the zone of a subdomain is found from its parent. */
async function gatherFromZone(check: DnsCheck, expected: ExpectedDns): Promise<ZoneFindings> {
  const { name, isApex } = expected;
  const { zone, names, servers } = await check.zoneServersOf(isApex ? name : parentOf(name));
  const lookups = await Promise.all(
    servers.map(async (server) => {
      const [first, proof] = await Promise.all([server.query(name, 'CNAME'), gatherProof(server, expected)]);
      const addresses = first.answer.kind === 'failed' ? [] : await gatherConflicting(server, name);
      return [first, ...addresses, ...proof];
    }),
  );
  // Above a subdomain, the search does not show whether the name is the apex of a zone.
  return { names, servers, lookups: lookups.flat(), zone: isApex && names.length > 0 ? zone : null };
}

/**
 * If the `www.` name of an apex can prove ownership of the apex: its record, and the zone that it is in, from the
 * authoritative servers of the apex. The negative answer for a random name below it names that zone.
 */
async function gatherWwwAlias(check: DnsCheck, { name, wwwTargetHost }: ExpectedDns): Promise<DnsLookup[]> {
  if (wwwTargetHost === null) return [];
  const { zone, servers: own } = await check.zoneServersOf(name);
  if (zone !== name) return [];
  const servers = own.length > 0 ? own : check.allZonesServers;
  const www = wwwNameOf(name);
  const probe = zoneProbeOf(www, randomBytes(NONCE_BYTES).toString('hex'));
  const lookups = await Promise.all(
    servers.map((server) => Promise.all([server.query(www, 'CNAME'), server.query(probe, 'NS')])),
  );
  return lookups.flat();
}

/**
 * Looks up each further name of a CNAME chain at the authoritative servers of that name, or at the resolvers if these fail.
 * A resolver that still has the old record has not followed the new chain itself.
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
  // The iteration of a set includes the elements that are added during it.
  for (const hop of hops) {
    if (hop === targetHost || hop === name) continue;
    if (++count >= MAX_CNAME_HOPS) break;
    const { servers } = await check.zoneServersOf(hop);
    const answers = await Promise.all(servers.map((server) => server.query(hop, 'CNAME')));
    if (answers.every(hasFailed) && !asked.some((lookup) => lookup.name === hop && lookup.type === 'CNAME'))
      answers.push(...(await Promise.all(check.resolvers.map((server) => server.query(hop, 'CNAME')))));
    lookups.push(...answers);
    const known = answers.some((lookup) => !hasFailed(lookup))
      ? answers
      : asked.filter((lookup) => lookup.name === hop);
    for (const next of known.flatMap(targetsOf)) hops.add(next);
  }
  return lookups;
}

/** Whether the record was created with the zone twice, or a wildcard answers: one question to a working resolver. */
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
    return isApex || isWildcardProbe(name)
      ? []
      : [await server.query(wildcardProbeOf(name, randomBytes(NONCE_BYTES).toString('hex')), seen.type)];
  const zone = here
    .map(({ answer }) => (answer.kind === 'absent' ? answer.zone : undefined))
    .find((at) => at?.includes('.'));
  return zone === undefined ? [] : [await server.query(doubledNameOf(name, zone), isApex ? 'A' : 'CNAME')];
}

function isFirstOf(name: string): (lookup: DnsLookup) => boolean {
  return (lookup) => lookup.name === name && lookup.type === 'CNAME' && !lookup.isAuthoritative;
}

/** Whether a resolver whose validation of the name has failed validates what is above its registered domain. */
async function gatherParents(
  { resolvers }: DnsCheck,
  resolved: readonly DnsLookup[][],
  { name }: ExpectedDns,
): Promise<DnsLookup[]> {
  const domain = registrableDomainOf(name);
  const failing = resolvers.filter((_server, i) =>
    resolved[i]?.some(({ answer }) => answer.kind === 'failed' && answer.isBogus),
  );
  return domain === null ? [] : Promise.all(failing.map((server) => server.query(parentOf(domain), 'SOA')));
}

/** The zone that a negative answer about the name itself is from. */
function zoneOf(lookups: readonly DnsLookup[], name: string): string | undefined {
  return lookups
    .filter((lookup) => lookup.name === name && lookup.alias === undefined)
    .map(({ answer }) => (answer.kind === 'absent' ? answer.zone : undefined))
    .find((zone) => zone !== undefined);
}

type Question = readonly [name: string, type: DnsQuestionType];

function addressesOf(name: string): Question[] {
  return [
    [name, 'A'],
    [name, 'AAAA'],
  ];
}

function queryAll(server: DnsServer, questions: readonly Question[]): Promise<DnsLookup[]> {
  return Promise.all(questions.map(([name, type]) => server.query(name, type)));
}

function targetsOf({ type, answer }: DnsLookup): string[] {
  return type === 'CNAME' && answer.kind === 'found' ? answer.records.map(({ value }) => value) : [];
}

/** Whether a server shows addresses of the name itself. */
function hasAddress(lookups: readonly DnsLookup[], name: string): boolean {
  return lookups.some(
    (lookup) =>
      lookup.name === name &&
      (lookup.type === 'A' || lookup.type === 'AAAA') &&
      lookup.alias === undefined &&
      lookup.answer.kind === 'found',
  );
}

function hasFailed(lookup: DnsLookup | undefined): boolean {
  return lookup === undefined || lookup.answer.kind === 'failed';
}

/**
 * Looks up CAA of the name and of each parent up to the top-level domain (RFC 8659 §3), concurrently. `evaluateCaa` decides
 * which set applies. Authoritative servers are queried for the names in their zone.
 */
export async function gatherCaa(
  check: DnsCheck,
  { name, isApex }: Pick<ExpectedDns, 'name' | 'isApex'>,
): Promise<DnsLookup[]> {
  // RFC 8659 §3: for a wildcard, the climb begins at its base.
  const labels = baseNameOf(name).split('.');
  const climb = labels.map((_label, index) => labels.slice(index).join('.'));
  const [resolved, own] = await Promise.all([
    Promise.all(check.resolvers.flatMap((server) => climb.map((ancestor) => server.query(ancestor, 'CAA')))),
    gatherCaaFromZone(check, climb, isApex ? name : parentOf(name)),
  ]);
  return [...resolved, ...own];
}

async function gatherCaaFromZone(check: DnsCheck, climb: readonly string[], start: string): Promise<DnsLookup[]> {
  const { zone, servers } = await check.zoneServersOf(start);
  const inZone = climb.filter((at) => at === zone || at.endsWith(`.${zone}`));
  return Promise.all(servers.flatMap((server) => inZone.map((at) => askBeyondAlias(server, at, check.resolvers))));
}

/** An authoritative server cannot follow an alias out of its zone, so the resolvers look up the rest. */
async function askBeyondAlias(server: DnsServer, at: string, resolvers: readonly DnsServer[]): Promise<DnsLookup> {
  const lookup = await server.query(at, 'CAA');
  const { alias } = lookup;
  if (alias === undefined || lookup.answer.kind !== 'failed') return lookup;
  const beyond = await Promise.all(resolvers.map((resolver) => resolver.query(alias, 'CAA')));
  const found =
    beyond.find(({ answer }) => answer.kind === 'found') ?? beyond.find(({ answer }) => answer.kind !== 'failed');
  return found === undefined ? lookup : { ...lookup, answer: found.answer, alias: found.alias ?? alias };
}
