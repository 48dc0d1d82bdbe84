import type { RequiredRecord } from '@pets/contracts';

interface ProviderInstructions {
  readonly label: string;
  /** How to reach the records of a domain. */
  readonly navigation: string;
  /** The labels of the name and value fields. */
  readonly fields: readonly [name: string, value: string];
  /** The record type that points an apex to a host name; null when there is none. */
  readonly apex: 'ALIAS' | 'ANAME' | 'CNAME' | 'ALIAS or ANAME' | null;
  /** Whether the name field stays empty for the domain itself; otherwise it takes the `@`. */
  readonly isApexNameEmpty?: true;
  /** Whether one record takes several addresses. Otherwise each address is a record. */
  readonly groupsAddresses?: true;
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
    isApexNameEmpty: true,
    groupsAddresses: true,
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
  readonly records: readonly Pick<RequiredRecord, 'type' | 'name' | 'ttl' | 'alternatives'>[];
}

/** The steps to create the required records of a domain at a provider. Their values are above the steps. */
export function instructionsFor(provider: Provider, { apexName, records }: RequiredRecords): string[] {
  const instructions: ProviderInstructions = providers[provider];
  const hasAddresses = records.some(({ alternatives }) => alternatives !== undefined);
  return [
    instructions.navigation,
    ...records.flatMap((record) => {
      const steps = describeRecord(instructions, record, apexName);
      return record.type === 'TXT' && hasAddresses ? steps.map((step) => `${step} ${PROOF_STEP}`) : steps;
    }),
    ...(instructions.caution === undefined ? [] : [instructions.caution]),
  ];
}

/** The owner could take the addresses, of which the TXT record is no part, for the complete set of records. */
const PROOF_STEP = 'Create it together with the other records: addresses do not show whose domain it is.';

type StepRecord = RequiredRecords['records'][number];

function describeRecord(instructions: ProviderInstructions, record: StepRecord, apexName: string): string[] {
  const { name, type, alternatives } = record;
  if (type === 'ALIAS' && instructions.apex === null) {
    if (alternatives !== undefined) return describeAddresses(instructions, record, alternatives);
    const apex = name === '@' ? apexName : `${name}.${apexName}`;
    return [
      `${instructions.label} cannot point the apex domain ${apex} to a host name. Add www.${apex} instead, or move the ` +
        'zone to a provider that supports ALIAS or ANAME records.',
    ];
  }
  const created = type === 'ALIAS' ? (instructions.apex ?? type) : type;
  const step = describeStep(instructions, record, created, `copy the value of the ${type} record above`);
  if (alternatives === undefined) return [step];
  const types = [...new Set(alternatives.map((each) => each.type))].join(' and ');
  const others =
    alternatives.length === 1 ? `record below its value instead` : `records below its value instead, all of them`;
  return [`${step} Or create the ${types} ${others}.`];
}

/** A step for each type of address. */
function describeAddresses(
  instructions: ProviderInstructions,
  record: StepRecord,
  alternatives: NonNullable<StepRecord['alternatives']>,
): string[] {
  return (['A', 'AAAA'] as const).flatMap((type) => {
    const count = alternatives.filter((each) => each.type === type).length;
    if (count === 0) return [];
    const addresses = count === 1 ? `the ${type} address` : `the ${count} ${type} addresses`;
    const many = instructions.groupsAddresses === true ? ', each on its own line' : ', each as its own record';
    const value = `copy ${addresses} below the ${record.type} record above${count === 1 ? '' : many}`;
    return [`Instead of ${record.type}: ${describeStep(instructions, record, type, value)}`];
  });
}

function describeStep(
  { fields: [nameField, valueField], isApexNameEmpty }: ProviderInstructions,
  { name, ttl }: StepRecord,
  type: string,
  value: string,
): string {
  const nameStep = name === '@' && isApexNameEmpty === true ? `${nameField} empty` : `${nameField} ${name}`;
  return `Type ${type}, ${nameStep}, ${valueField}: ${value}, TTL ${ttl}.`;
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
