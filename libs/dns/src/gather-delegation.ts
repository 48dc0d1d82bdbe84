import type { DnsLookup, ExpectedDns } from '@pets/contracts';
import { parentOf } from '@pets/domains';
import type { DnsCheck, DnsServer } from './dns-servers.js';

/**
 * Looks up the CNAME that delegates the challenges of a name, at the resolvers and at the authoritative servers of the name.
 * Where it points elsewhere, a resolver names the end of the chain. Where it points to our target, the authoritative servers are
 * asked for TXT, as a CA asks: a record beside the CNAME, or a flattened one, would answer instead.
 */
export async function gatherDelegation(
  check: DnsCheck,
  { name, isApex, delegation }: ExpectedDns,
): Promise<DnsLookup[]> {
  if (delegation === null) return [];
  const { host, target } = delegation;
  const { servers } = await check.zoneServersOf(isApex ? name : parentOf(name));
  const ask = (server: DnsServer) => server.query(host, 'CNAME');
  const [resolved, own] = await Promise.all([Promise.all(check.resolvers.map(ask)), Promise.all(servers.map(ask))]);
  const isDelegated = [...resolved, ...own].some(
    ({ answer }) => answer.kind === 'found' && answer.records.some(({ value }) => value === target),
  );
  const zoneServers = servers.length > 0 ? servers : check.allZonesServers;
  const [end, shadows] = await Promise.all([
    gatherEnd(check, resolved, { host, target }),
    Promise.all(isDelegated ? zoneServers.map((server) => server.query(host, 'TXT')) : []),
  ]);
  return [...resolved, ...own, ...end, ...shadows];
}

/** One question for TXT to a resolver that has seen another target: its answer names where the CNAMEs lead. */
async function gatherEnd(
  { resolvers }: DnsCheck,
  resolved: readonly DnsLookup[],
  { host, target }: { readonly host: string; readonly target: string },
): Promise<DnsLookup[]> {
  const index = resolved.findIndex(
    ({ answer }) => answer.kind === 'found' && answer.records.some(({ value }) => value !== target),
  );
  const server = resolvers[index];
  return server === undefined ? [] : [await server.query(host, 'TXT')];
}
