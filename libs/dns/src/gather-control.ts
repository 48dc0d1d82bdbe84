import { randomBytes } from 'node:crypto';
import type { DnsLookup, ExpectedDns } from '@pets/contracts';
import { doubledNameOf, parentOf, wildcardProbeOf } from '@pets/domains';
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

const NONCE_BYTES = 8;

/** Looks up the TXT record that proves ownership, where it is required whatever the name shows. */
export async function gatherProof(server: DnsServer, expected: ExpectedDns): Promise<DnsLookup[]> {
  return expected.isProofByAddress ? [] : gatherOwnership(server, expected);
}

/** Looks it up for a name that shows addresses: they do not say whose they are, so the TXT record has to. */
export async function gatherProofByAddress(servers: readonly DnsServer[], expected: ExpectedDns): Promise<DnsLookup[]> {
  if (!expected.isProofByAddress) return [];
  return (await Promise.all(servers.map((server) => gatherOwnership(server, expected)))).flat();
}

/** The TXT record, and a random sibling of it where a wildcard may have answered in its place. */
async function gatherOwnership(
  server: DnsServer,
  { ownershipHost, ownershipToken }: ExpectedDns,
): Promise<DnsLookup[]> {
  if (ownershipHost === null) return [];
  const proof = await server.query(ownershipHost, 'TXT');
  if (proof.alias === undefined && !hasValue(proof, ownershipToken)) return [proof];
  const sibling = wildcardProbeOf(ownershipHost, randomBytes(NONCE_BYTES).toString('hex'));
  return [proof, await server.query(sibling, 'TXT')];
}

/** Whether a proof that is missing was created with the zone twice: one question to a working resolver. */
export async function gatherDoubledProof(
  { resolvers }: DnsCheck,
  lookups: readonly DnsLookup[],
  { ownershipHost, ownershipToken }: ExpectedDns,
): Promise<DnsLookup[]> {
  const proofs = lookups.filter(({ name, type }) => type === 'TXT' && name === ownershipHost);
  if (ownershipHost === null || proofs.some((lookup) => hasValue(lookup, ownershipToken))) return [];
  // The resolvers come in their order, before the authoritative servers.
  const zones = proofs.map(({ answer, alias }) =>
    answer.kind === 'absent' && alias === undefined && answer.zone?.includes('.') ? answer.zone : undefined,
  );
  const index = zones.findIndex((zone) => zone !== undefined);
  const [server, zone] = [resolvers[index], zones[index]];
  if (server === undefined || zone === undefined) return [];
  return [await server.query(doubledNameOf(ownershipHost, zone), 'TXT')];
}

function hasValue({ answer }: DnsLookup, value: string | null): boolean {
  return answer.kind === 'found' && answer.records.some((record) => record.value === value);
}
