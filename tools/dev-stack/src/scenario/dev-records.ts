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

type DnsNeeds = Pick<Domain, 'name' | 'apexName' | 'records'>;

/** Set-ups that fail, or look wrong, at real DNS providers. Each changes the records of a domain, and returns a line for it. */
export const brokenSetups = {
  /** The provider answers with the addresses of the target instead of the CNAME. */
  flattened: async (records, { name, records: required }) => {
    const target = required.find(({ purpose }) => purpose === 'routing')?.value ?? '';
    await records.remove(name);
    await records.put({ name, type: 'ALIAS', data: `${target}.` });
    return `${name} ALIAS ${target}, which shows only addresses`;
  },
  /** The provider adds a TXT record beside the delegation. */
  shadowed: async (records, domain) => {
    const host = delegationHostOf(domain.name);
    await createRecords(records, domain, DEV_EDGE_ADDRESS, ['delegation']);
    await records.put({ name: host, type: 'TXT', data: 'added-by-the-provider' });
    return `${host} TXT added-by-the-provider, which hides the delegation`;
  },
  'dnssec-broken': async (records, { apexName }) => {
    await records.breakDnssec(apexName);
    return `SERVFAIL for ${apexName} and all below it, as with broken DNSSEC`;
  },
  lame: async (records, domain) => {
    await records.addSecondServer(domain.apexName, 'lame');
    await createRecords(records, domain, DEV_EDGE_ADDRESS);
    return `a second server of ${domain.apexName}, which refuses questions about it`;
  },
  silent: async (records, domain) => {
    await records.addSecondServer(domain.apexName, 'silent');
    await createRecords(records, domain, DEV_EDGE_ADDRESS);
    return `a second server of ${domain.apexName}, which does not answer`;
  },
  /** The second server has the zone from before the records were created, even where they are there already. */
  stale: async (records, domain) => {
    for (const { purpose } of domain.records) await records.remove(hostOf(domain.name, purpose));
    await records.addSecondServer(domain.apexName, 'stale');
    await createRecords(records, domain, DEV_EDGE_ADDRESS);
    return `a second server of ${domain.apexName}, which does not have the records of ${domain.name} yet`;
  },
} as const satisfies Record<string, (records: DevRecords, domain: DnsNeeds) => Promise<string>>;

/**
 * Lets the addresses of a name rotate.
 * @param words `192.0.2.1 192.0.2.2`, of which an answer shows one, or `2 of 192.0.2.1 192.0.2.2 192.0.2.3`
 * @returns a line for the change
 * @throws Error when there are no addresses, or the server refuses them
 */
export async function rotate(records: DevRecords, name: string, words: readonly string[]): Promise<string> {
  const hasCount = words[1] === 'of';
  const addresses = hasCount ? words.slice(2) : words;
  const count = hasCount ? Number(words[0]) : 1;
  if (addresses.length === 0 || !Number.isInteger(count) || count < 1)
    throw new Error('Which addresses? Run npm run dns docs.example.com rotating 2 of 192.0.2.1 192.0.2.2 192.0.2.3.');
  await records.rotate(name, addresses, count);
  return `${name}: each answer shows ${count} of ${addresses.join(', ')}`;
}

/** Ends each of these set-ups but the missing records, which `createRecords` puts in the place of others. */
export async function repair(records: DevRecords, { name, apexName }: DnsNeeds): Promise<void> {
  await records.fixDnssec(apexName);
  await records.removeSecondServer(apexName);
  await records.endRotation(name);
  await records.remove(delegationHostOf(name), 'TXT');
}
