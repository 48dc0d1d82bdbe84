import type { RequiredRecord } from '@pets/contracts';

interface ProviderInstructions {
  readonly label: string;
  /** How to reach the records of a domain. */
  readonly navigation: string;
  /** The labels of the name and value fields. */
  readonly fields: readonly [name: string, value: string];
  /** The record type that points an apex to a host name; null when there is none. */
  readonly apex: 'ALIAS' | 'ANAME' | 'CNAME' | 'ALIAS or ANAME' | null;
  /** A common mistake. */
  readonly caution?: string;
}

/** The largest providers, in their own terms. `other` is the fallback. */
export const providers = {
  cloudflare: {
    label: 'Cloudflare',
    navigation: 'Select the domain, open DNS > Records and click Add record.',
    fields: ['Name', 'Target'],
    apex: 'CNAME',
    caution: 'Set Proxy status to “DNS only”. A proxied record hides its target.',
  },
  godaddy: {
    label: 'GoDaddy',
    navigation: 'Open the DNS settings of the domain and click Add New Record.',
    fields: ['Name', 'Value'],
    apex: null,
    caution: 'Delete the A record of a parked domain: it conflicts with the new record.',
  },
  namecheap: {
    label: 'Namecheap',
    navigation: 'Open Domain List > Manage > Advanced DNS and click Add New Record.',
    fields: ['Host', 'Value'],
    apex: 'ALIAS',
    caution: 'Enter the host exactly as shown. Namecheap appends the domain.',
  },
  route53: {
    label: 'Amazon Route 53',
    navigation: 'Open Hosted zones, select the domain and click Create record.',
    fields: ['Record name', 'Value'],
    apex: null,
    caution: 'Route 53 alias records can point only to AWS resources, not to other host names.',
  },
  squarespace: {
    label: 'Squarespace (formerly Google Domains)',
    navigation: 'Open Domains, select the domain, open DNS > DNS Settings and click Add record.',
    fields: ['Host', 'Data'],
    apex: 'ALIAS',
    caution: 'Remove Squarespace preset records that have the same name.',
  },
  gandi: {
    label: 'Gandi',
    navigation: 'Open Domain, select the domain, open DNS Records and click Add record.',
    fields: ['Name', 'Hostname'],
    apex: 'ALIAS',
    caution: 'End the hostname with a dot. Otherwise Gandi appends the domain.',
  },
  other: {
    label: 'Another provider',
    navigation: 'At your DNS provider, open the DNS records of the domain and add a record.',
    fields: ['Name', 'Value'],
    apex: 'ALIAS or ANAME',
  },
} as const satisfies Record<string, ProviderInstructions>;

export type Provider = keyof typeof providers;

export function isProvider(value: string): value is Provider {
  return Object.hasOwn(providers, value);
}

interface RequiredRecords {
  readonly apexName: string;
  readonly records: readonly Pick<RequiredRecord, 'type' | 'name' | 'ttl'>[];
}

/** The steps to create the required records of a domain at a provider. Their values are long, and stand above the steps. */
export function instructionsFor(provider: Provider, { apexName, records }: RequiredRecords): string[] {
  const instructions: ProviderInstructions = providers[provider];
  return [
    instructions.navigation,
    ...records.map((record) => describeRecord(instructions, record, apexName)),
    ...(instructions.caution === undefined ? [] : [instructions.caution]),
  ];
}

function describeRecord(
  instructions: ProviderInstructions,
  record: RequiredRecords['records'][number],
  apexName: string,
): string {
  const [nameField, valueField] = instructions.fields;
  const { name, ttl } = record;
  if (record.type === 'ALIAS' && instructions.apex === null) {
    const apex = name === '@' ? apexName : `${name}.${apexName}`;
    return (
      `${instructions.label} cannot point the apex domain ${apex} to a host name. Add www.${apex} instead, or move the ` +
      'zone to a provider that supports ALIAS or ANAME records.'
    );
  }
  const type = record.type === 'ALIAS' ? instructions.apex : record.type;
  return `Type ${type}, ${nameField} ${name}, ${valueField}: copy the value of the ${record.type} record above, TTL ${ttl}.`;
}

interface NameServerOwner {
  readonly label: string;
  /** The provider whose instructions apply. */
  readonly provider: Provider;
}

/** By the suffix or pattern of the name servers: providers with their own instructions, then other common ones. */
const owners: readonly (readonly [names: string | RegExp, label: string, provider?: Provider])[] = [
  ['ns.cloudflare.com', 'Cloudflare', 'cloudflare'],
  ['domaincontrol.com', 'GoDaddy', 'godaddy'],
  ['registrar-servers.com', 'Namecheap', 'namecheap'],
  [/\.awsdns-\d+\.(?:com|net|org|co\.uk)$/, 'Amazon Route 53', 'route53'],
  ['squarespacedns.com', 'Squarespace', 'squarespace'],
  // Squarespace took over the name servers of Google Domains, whose names Google Cloud uses too.
  ['googledomains.com', 'Squarespace (formerly Google Domains) or Google Cloud', 'squarespace'],
  ['gandi.net', 'Gandi', 'gandi'],
  ['digitalocean.com', 'DigitalOcean'],
  ['vercel-dns.com', 'Vercel'],
  ['nsone.net', 'NS1 (used by Netlify)'],
  [/\.(?:ovh\.(?:net|ca)|anycast\.me)$/, 'OVHcloud'],
  [/\.ui-dns\.(?:com|org|de|biz)$/, 'IONOS'],
  [/\.(?:ns\.hetzner\.(?:com|de)|first-ns\.de|second-ns\.(?:com|de))$/, 'Hetzner'],
  [/\.azure-dns\.(?:com|net|org|info)$/, 'Azure'],
  ['porkbun.com', 'Porkbun'],
  ['name.com', 'Name.com'],
  ['wixdns.net', 'Wix'],
];

/** Null when the provider is unknown, or when there is more than one, as during a migration. */
export function providerOf(nameServers: readonly string[]): NameServerOwner | null {
  const [first, ...others] = nameServers.map((name) => owners.find(([names]) => matches(names, name.toLowerCase())));
  if (first === undefined || others.some((other) => other !== first)) return null;
  const [, label, provider = 'other'] = first;
  return { label, provider };
}

function matches(names: string | RegExp, name: string): boolean {
  return typeof names === 'string' ? name.endsWith(`.${names}`) : names.test(name);
}
