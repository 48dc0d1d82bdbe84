import type { Domain, RequiredRecord } from '@pets/contracts';
import type { DevFile } from '../supervisor/dev-file.js';

/** Where the edge of a development stack listens. */
export const DEV_EDGE_ADDRESS = '127.0.0.1';

const REQUEST_LIMIT_MS = 5_000;

type DnsRecord = { readonly name: string; readonly type: string; readonly data: string; readonly ttl?: number };

/** Sets and removes records through the development DNS server's control, as an owner would at a DNS provider. */
export type DevRecords = {
  put(record: DnsRecord): Promise<void>;
  remove(name: string): Promise<void>;
  /** Lets questions about a name and all below it fail, as resolvers do where DNSSEC is broken. */
  breakDnssec(name: string): Promise<void>;
  fixDnssec(name: string): Promise<void>;
};

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
    remove: (name) => call('DELETE', `/records?name=${encodeURIComponent(name)}`),
    breakDnssec: (name) =>
      call('PUT', '/failures', { name, rcode: 'SERVFAIL', isZone: true, isBogus: true, extendedError: noDnskey }),
    fixDnssec: (name) => call('DELETE', `/failures?name=${encodeURIComponent(name)}`),
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

/**
 * Set-ups that fail, or look wrong, at real DNS providers. Each changes the records of a domain, and returns a line for the
 * change.
 */
export const brokenSetups = {
  /** The provider answers with the addresses of the target instead of the CNAME. */
  flattened: async (records, { name, records: required }) => {
    const target = required.find(({ purpose }) => purpose === 'routing')?.value ?? '';
    await records.remove(name);
    await records.put({ name, type: 'ALIAS', data: `${target}.` });
    return `${name} ALIAS ${target}, which shows only addresses`;
  },
  /** The provider adds a TXT record beside the delegation. */
  shadowed: async (records, { name }) => {
    const host = delegationHostOf(name);
    await records.put({ name: host, type: 'TXT', data: 'added-by-the-provider' });
    return `${host} TXT added-by-the-provider, which hides the delegation`;
  },
  'dnssec-broken': async (records, { apexName }) => {
    await records.breakDnssec(apexName);
    return `SERVFAIL for ${apexName} and all below it, as with broken DNSSEC`;
  },
} as const satisfies Record<string, (records: DevRecords, domain: Domain) => Promise<string>>;

function hostOf(name: string, purpose: RequiredRecord['purpose']): string {
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
