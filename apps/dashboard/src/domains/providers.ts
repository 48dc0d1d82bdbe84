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
    place: 'Choose the domain, then DNS, Records, Add record.',
    fields: ['Name', 'Target'],
    apex: 'CNAME',
    caution: 'Set Proxy status to “DNS only”: a proxied record hides where it points.',
  },
  godaddy: {
    label: 'GoDaddy',
    place: 'Open the domain’s DNS settings, then Add New Record.',
    fields: ['Name', 'Value'],
    apex: null,
    caution: 'A parked domain has an A record that stands in the way: delete it.',
  },
  namecheap: {
    label: 'Namecheap',
    place: 'Domain List, Manage, Advanced DNS, Add New Record.',
    fields: ['Host', 'Value'],
    apex: 'ALIAS',
    caution: 'Enter the host as shown: Namecheap adds the domain by itself.',
  },
  route53: {
    label: 'Amazon Route 53',
    place: 'Hosted zones, the domain, Create record.',
    fields: ['Record name', 'Value'],
    apex: null,
    caution: 'Its alias records lead to resources of AWS alone, not to other host names.',
  },
  squarespace: {
    label: 'Squarespace (formerly Google Domains)',
    place: 'Domains, the domain, DNS, DNS Settings, Add record.',
    fields: ['Host', 'Data'],
    apex: 'ALIAS',
    caution: 'Remove the preset records of Squarespace where they are of the same name.',
  },
  gandi: {
    label: 'Gandi',
    place: 'Domain, the domain, DNS Records, Add record.',
    fields: ['Name', 'Hostname'],
    apex: 'ALIAS',
    caution: 'End the hostname with a dot: without it Gandi adds the domain to it.',
  },
  other: {
    label: 'Another provider',
    place: 'Open the DNS records of the domain at your provider and add a record.',
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
      `${words.label} cannot point ${apexName} itself to a host name. Add www.${apexName} instead, or move the zone ` +
      'to a provider that has ALIAS or ANAME records.'
    );
  }
  const type = record.type === 'ALIAS' ? words.apex : record.type;
  return `Type ${type}, ${nameField} ${name}, ${valueField} ${value}, TTL ${ttl}.`;
}
