/** Set-ups that fail, or look wrong, at real DNS providers, and their repair. */
import type { Domain } from '@pets/contracts';
import { createRecords, DEV_EDGE_ADDRESS, delegationHostOf, hostOf, type DevRecords } from './dev-records.js';

type DnsNeeds = Pick<Domain, 'name' | 'apexName' | 'records'>;

/** Each changes the records of a domain, and returns a line for the change. */
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
