import type { DnsLookup, ExpectedDns } from '@pets/contracts';
import { parentOf } from '@pets/domains';
import type { DnsCheck, DnsServer } from './dns-servers.js';

/**
 * Looks up CAA of the name and of each parent up to the top-level domain (RFC 8659 §3), concurrently. `evaluateCaa` decides
 * which set applies. Authoritative servers are queried for the names in their zone.
 */
export async function gatherCaa(check: DnsCheck, { name, isApex }: ExpectedDns): Promise<DnsLookup[]> {
  const labels = name.split('.');
  const climb = labels.map((_label, index) => labels.slice(index).join('.'));
  const [resolved, own] = await Promise.all([
    Promise.all(check.resolvers.flatMap((server) => climb.map((ancestor) => server.ask(ancestor, 'CAA')))),
    gatherFromZone(check, climb, isApex ? name : parentOf(name)),
  ]);
  return [...resolved, ...own];
}

async function gatherFromZone(check: DnsCheck, climb: readonly string[], start: string): Promise<DnsLookup[]> {
  const { zone, servers } = await check.zoneServersOf(start);
  const inZone = climb.filter((at) => at === zone || at.endsWith(`.${zone}`));
  return Promise.all(servers.flatMap((server) => inZone.map((at) => askBeyondAlias(server, at, check.resolvers))));
}

/** An authoritative server cannot follow an alias out of its zone, so the resolvers look up the rest. */
async function askBeyondAlias(server: DnsServer, at: string, resolvers: readonly DnsServer[]): Promise<DnsLookup> {
  const lookup = await server.ask(at, 'CAA');
  const { alias } = lookup;
  if (alias === undefined || lookup.answer.kind !== 'failed') return lookup;
  const beyond = await Promise.all(resolvers.map((resolver) => resolver.ask(alias, 'CAA')));
  const found =
    beyond.find(({ answer }) => answer.kind === 'found') ?? beyond.find(({ answer }) => answer.kind !== 'failed');
  return found === undefined ? lookup : { ...lookup, answer: found.answer, alias: found.alias ?? alias };
}
