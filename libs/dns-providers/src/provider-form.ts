import type { DnsProvider, FieldKey } from './dns-provider.js';

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
