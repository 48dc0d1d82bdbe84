import type { Domain, RequiredRecord } from '@pets/contracts';
import type { secondServerStates } from '@pets/testing/dev-dns';
import type { DevFile } from '../supervisor/dev-file.js';

/** Address of the edge of a development stack. */
export const DEV_EDGE_ADDRESS = '127.0.0.1';

const REQUEST_LIMIT_MS = 5_000;

type DnsRecord = { readonly name: string; readonly type: string; readonly data: string; readonly ttl?: number };

/** Sets and removes records through the development DNS server's control, as an owner would at a DNS provider. */
export type DevRecords = {
  put(record: DnsRecord): Promise<void>;
  /** @param type of the records; all of the name without it */
  remove(name: string, type?: string): Promise<void>;
  /** Lets questions about a name and all below it fail, as resolvers do where DNSSEC is broken. */
  breakDnssec(name: string): Promise<void>;
  fixDnssec(name: string): Promise<void>;
  /** Lets the zone name a second server in this state; a stale one keeps the records that the zone has now. */
  addSecondServer(zone: string, state: SecondServerState): Promise<void>;
  removeSecondServer(zone: string): Promise<void>;
  /** Lets each answer about a name show the next `count` of these addresses. */
  rotate(name: string, addresses: readonly string[], count: number): Promise<void>;
  endRotation(name: string): Promise<void>;
};

type SecondServerState = (typeof secondServerStates)[number];

/** RFC 8914 §4.10. */
const noDnskey = { code: 9, text: 'no DNSKEY matches the DS record' };

/** @throws Error when the stack runs on resolvers of its own */
export function openDevRecords({ dnsControlUrl }: Pick<DevFile, 'dnsControlUrl'>): DevRecords {
  if (dnsControlUrl === null)
    throw new Error('the stack has no development DNS server: records cannot be set from here');
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(dnsControlUrl + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} at the DNS control: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
  };
  return {
    put: (record) => call('PUT', '/records', { ttl: 60, ...record }),
    remove: (name, type) =>
      call('DELETE', `/records?${new URLSearchParams({ name, ...(type && { type }) }).toString()}`),
    breakDnssec: (name) =>
      call('PUT', '/failures', { name, rcode: 'SERVFAIL', isZone: true, isBogus: true, extendedError: noDnskey }),
    fixDnssec: (name) => call('DELETE', `/failures?name=${encodeURIComponent(name)}`),
    addSecondServer: (zone, state) => call('PUT', '/second-servers', { zone, state }),
    removeSecondServer: (zone) => call('DELETE', `/second-servers?zone=${encodeURIComponent(zone)}`),
    rotate: (name, addresses, count) => call('PUT', '/rotations', { name, addresses, count }),
    endRotation: (name) => call('DELETE', `/rotations?name=${encodeURIComponent(name)}`),
  };
}

/**
 * Creates the records that a domain needs, in the place of what their names had before.
 * @param purposes of the records to create; by default of those that are not optional
 * @returns a line for each
 */
export async function createRecords(
  records: DevRecords,
  { name, records: required }: Pick<Domain, 'name' | 'records'>,
  edgeAddress: string,
  purposes?: readonly RequiredRecord['purpose'][],
): Promise<string[]> {
  const chosen = required.filter(({ purpose, optional }) => purposes?.includes(purpose) ?? !optional);
  const created = chosen.map(({ type, purpose, value }): DnsRecord => {
    const host = hostOf(name, purpose);
    if (type === 'ALIAS') return { name: host, type: 'A', data: edgeAddress }; // a provider answers with addresses
    return { name: host, type, data: type === 'CNAME' ? `${value}.` : value };
  });
  for (const host of new Set(created.map((record) => record.name))) await records.remove(host);
  for (const record of created) await records.put(record);
  return created.map(({ name: host, type, data }) => `${host} ${type} ${data.replace(/\.$/, '')}`);
}

/** The complete name of a record that a domain needs. */
export function hostOf(name: string, purpose: RequiredRecord['purpose']): string {
  switch (purpose) {
    case 'routing':
      return name;
    case 'ownership':
      return ownershipHostOf(name);
    case 'delegation':
      return delegationHostOf(name);
  }
}

export function delegationHostOf(name: string): string {
  return `_acme-challenge.${name}`;
}

export function ownershipHostOf(name: string): string {
  return `_platform-challenge.${name}`;
}
