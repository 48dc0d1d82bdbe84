import { randomBytes } from 'node:crypto';
import type { DnsLookup, ExpectedDns } from '@pets/contracts';
import { wildcardProbeOf } from '@pets/domains';
import type { DnsServer } from './dns-servers.js';

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
  const { answer, alias } = proof;
  const hasToken = answer.kind === 'found' && answer.records.some(({ value }) => value === ownershipToken);
  if (alias === undefined && !hasToken) return [proof];
  const sibling = wildcardProbeOf(ownershipHost, randomBytes(NONCE_BYTES).toString('hex'));
  return [proof, await server.query(sibling, 'TXT')];
}
