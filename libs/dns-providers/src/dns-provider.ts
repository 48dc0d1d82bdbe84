/** A field of the form in which a provider takes a record. */
type FieldKey = 'type' | 'name' | 'value' | 'ttl';

/** The label of a field; by record type where it depends on that. */
export type FieldLabel = string | (Readonly<Record<string, string>> & { readonly other: string });

/** A company that hosts zones: how its form takes records, in its own words, and what it does to them. */
export interface DnsProvider {
  readonly id: string;
  readonly label: string;
  /** The name servers: a domain that they are below, or a pattern. */
  readonly nameServers: readonly (string | RegExp)[];
  /** How to reach the form, as a sentence; null where only the name servers are known. */
  readonly navigation: string | null;
  /** Page of the zones of the customer. */
  readonly link: string | null;
  /** The fields of the form, in its order. */
  readonly fields: readonly (readonly [key: FieldKey, label: FieldLabel])[];
  /** The entry that means the zone itself. */
  readonly apexName: '@' | '';
  /** The record type that points an apex to a host name; null when there is none. */
  readonly apexType: 'ALIAS' | 'ANAME' | 'CNAME' | 'ALIAS or ANAME' | null;
  /** Whether it appends the zone to a host name without a final dot. */
  readonly appendsZone: boolean;
  /** Whether a record can lead through its proxy, which hides the target. */
  readonly proxies: boolean;
  /** Whether it answers with the addresses of a CNAME instead of the CNAME. */
  readonly flattens: boolean;
  /** Whether it adds TXT records that its form does not show. */
  readonly hidesTxt: boolean;
  /** Whether one record takes several values. Otherwise each value is a record. */
  readonly groupsValues: boolean;
  /** Whether the flags and the tag of a CAA record are entered as a part of its value. */
  readonly joinsCaa: boolean;
  /** A common mistake. */
  readonly caution: string | null;
  /** Day on which all this was last compared with the pages of the provider; null where it was not. */
  readonly lookedAt: string | null;
}

/** A record as DNS has it, at a name relative to its zone: the label, or `@`. */
export interface ZoneRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly ttl: number;
  /** The parts of a CAA record, whose value is then the authority. */
  readonly caa?: { readonly flags: string; readonly tag: string };
}

/** A field of a provider's form, as it has to be filled in. */
export interface FormField {
  readonly key: FieldKey | 'flags' | 'tag' | 'proxy';
  readonly label: string;
  /** Empty where the field stays empty. */
  readonly value: string;
}

/** The type of a record in the words of a provider. */
export function typeAt({ apexType }: DnsProvider, { type }: Pick<ZoneRecord, 'type'>): string {
  return type === 'ALIAS' ? (apexType ?? type) : type;
}

/** The fields of a record at a provider, in its order and its words. */
export function formOf(provider: DnsProvider, record: ZoneRecord): readonly FormField[] {
  const type = typeAt(provider, record);
  const fields = provider.fields.flatMap(([key, label]): FormField[] => {
    const text = typeof label === 'string' ? label : (label[type] ?? label.other);
    switch (key) {
      case 'type':
        return [{ key, label: text, value: type }];
      case 'name':
        return [{ key, label: text, value: record.name === '@' ? provider.apexName : record.name }];
      case 'value':
        return [...caaFields(provider, record), { key, label: text, value: valueAt(provider, record) }];
      case 'ttl':
        return [{ key, label: text, value: String(record.ttl) }];
    }
  });
  const isProxied = provider.proxies && ['A', 'AAAA', 'CNAME'].includes(type);
  return isProxied ? [...fields, { key: 'proxy', label: 'Proxy status', value: 'DNS only' }] : fields;
}

function caaFields({ joinsCaa }: DnsProvider, { caa }: ZoneRecord): FormField[] {
  if (caa === undefined || joinsCaa) return [];
  return [
    { key: 'flags', label: 'Flags', value: caa.flags },
    { key: 'tag', label: 'Tag', value: caa.tag },
  ];
}

/** A host name gets the final dot where the zone would be appended. */
function valueAt({ appendsZone, joinsCaa }: DnsProvider, { type, value, caa }: ZoneRecord): string {
  if (caa !== undefined && joinsCaa) return `${caa.flags} ${caa.tag} "${value}"`;
  return appendsZone && (type === 'CNAME' || type === 'ALIAS') ? `${value}.` : value;
}
