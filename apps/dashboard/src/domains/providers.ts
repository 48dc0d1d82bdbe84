import type { RequiredRecord } from '@pets/contracts';

interface ProviderWords {
  readonly label: string;
  /** Where one comes to the records of a domain there. */
  readonly place: string;
  /** What the three fields are called there. */
  readonly fields: readonly [name: string, value: string];
  /** How an apex is pointed at a host name there; null where it cannot be. */
  readonly apex: 'ALIAS' | 'ANAME' | 'CNAME' | 'ALIAS or ANAME' | null;
  /** Something that goes wrong there often. */
  readonly caution?: string;
}

/** The big ones, in their own words; the last is for everybody else. */
export const providers = {
  cloudflare: {
    label: 'Cloudflare',
    place: 'Select the domain, open DNS > Records and click Add record.',
    fields: ['Name', 'Target'],
    apex: 'CNAME',
    caution: 'Set Proxy status to “DNS only”. A proxied record hides its target.',
  },
  godaddy: {
    label: 'GoDaddy',
    place: 'Open the DNS settings of the domain and click Add New Record.',
    fields: ['Name', 'Value'],
    apex: null,
    caution: 'Delete the A record of a parked domain: it conflicts with the new record.',
  },
  namecheap: {
    label: 'Namecheap',
    place: 'Open Domain List > Manage > Advanced DNS and click Add New Record.',
    fields: ['Host', 'Value'],
    apex: 'ALIAS',
    caution: 'Enter the host exactly as shown. Namecheap appends the domain.',
  },
  route53: {
    label: 'Amazon Route 53',
    place: 'Open Hosted zones, select the domain and click Create record.',
    fields: ['Record name', 'Value'],
    apex: null,
    caution: 'Route 53 alias records can point only to AWS resources, not to other host names.',
  },
  squarespace: {
    label: 'Squarespace (formerly Google Domains)',
    place: 'Open Domains, select the domain, open DNS > DNS Settings and click Add record.',
    fields: ['Host', 'Data'],
    apex: 'ALIAS',
    caution: 'Remove Squarespace preset records that have the same name.',
  },
  gandi: {
    label: 'Gandi',
    place: 'Open Domain, select the domain, open DNS Records and click Add record.',
    fields: ['Name', 'Hostname'],
    apex: 'ALIAS',
    caution: 'End the hostname with a dot. Otherwise Gandi appends the domain.',
  },
  other: {
    label: 'Another provider',
    place: 'At your DNS provider, open the DNS records of the domain and add a record.',
    fields: ['Name', 'Value'],
    apex: 'ALIAS or ANAME',
  },
} as const satisfies Record<string, ProviderWords>;

export type Provider = keyof typeof providers;

export function isProvider(value: string): value is Provider {
  return Object.hasOwn(providers, value);
}

interface Wanted {
  readonly apexName: string;
  readonly records: readonly Pick<RequiredRecord, 'type' | 'name' | 'value' | 'ttl'>[];
}

/** What to do at a provider, line by line, for the records that a domain asks for. */
export function instructionsFor(provider: Provider, { apexName, records }: Wanted): string[] {
  const words: ProviderWords = providers[provider];
  return [
    words.place,
    ...records.map((record) => lineFor(words, record, apexName)),
    ...(words.caution === undefined ? [] : [words.caution]),
  ];
}

function lineFor(words: ProviderWords, record: Wanted['records'][number], apexName: string): string {
  const [nameField, valueField] = words.fields;
  const { name, value, ttl } = record;
  if (record.type === 'ALIAS' && words.apex === null) {
    return (
      `${words.label} cannot point the apex domain ${apexName} to a host name. Add www.${apexName} instead, or move the ` +
      'zone to a provider that supports ALIAS or ANAME records.'
    );
  }
  const type = record.type === 'ALIAS' ? words.apex : record.type;
  return `Type ${type}, ${nameField} ${name}, ${valueField} ${value}, TTL ${ttl}.`;
}
