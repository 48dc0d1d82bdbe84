/**
 * Imitations of the record forms of six DNS providers: how they name their fields, and what they do to a value. Written without
 * the data of `libs/dns-providers`, so that a mistake there does not hide here.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { ZONE_SERVER_ADDRESSES } from '@pets/testing/dev-dns';
import type { DevRecords } from './dev-records.js';

type FieldKey = 'type' | 'name' | 'value' | 'ttl' | 'flags' | 'tag' | 'proxy';

interface ProviderForm {
  readonly label: string;
  readonly nameServers: readonly string[];
  /** The labels of its fields. Those of a value depend on the type of the record. */
  readonly labels: Readonly<Partial<Record<Exclude<FieldKey, 'value'>, string>>>;
  readonly valueLabels: Readonly<Record<string, string>> & { readonly other: string };
  /** The entry that means the zone itself. */
  readonly apexName: '@' | '';
  /** The type that points the zone itself to a host name; null where there is none. */
  readonly apexType: 'ALIAS' | 'CNAME' | null;
  /** Whether it recognizes a complete name, instead of adding the zone to it. */
  readonly recognizesZone: boolean;
  /** Whether it adds the zone to a host name without a final dot. */
  readonly appendsZone: boolean;
  /** Whether records lead through its proxy unless that is turned off. */
  readonly proxies: boolean;
  /** Whether all values of a type and a name are one record. */
  readonly groupsValues: boolean;
}

const common = {
  labels: { type: 'Type', name: 'Name', ttl: 'TTL', flags: 'Flags', tag: 'Tag' },
  valueLabels: { other: 'Value' },
  apexName: '@',
  apexType: null,
  recognizesZone: false,
  appendsZone: false,
  proxies: false,
  groupsValues: false,
} as const satisfies Partial<ProviderForm>;

export const providerForms = {
  cloudflare: {
    ...common,
    label: 'Cloudflare',
    nameServers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
    labels: { ...common.labels, proxy: 'Proxy status' },
    valueLabels: {
      ...{ A: 'IPv4 address', AAAA: 'IPv6 address', CNAME: 'Target', CAA: 'CA domain name' },
      other: 'Content',
    },
    apexType: 'CNAME',
    recognizesZone: true,
    proxies: true,
  },
  godaddy: { ...common, label: 'GoDaddy', nameServers: ['ns51.domaincontrol.com', 'ns52.domaincontrol.com'] },
  namecheap: {
    ...common,
    label: 'Namecheap',
    nameServers: ['dns1.registrar-servers.com', 'dns2.registrar-servers.com'],
    labels: { ...common.labels, name: 'Host' },
    apexType: 'ALIAS',
  },
  route53: {
    ...common,
    label: 'Amazon Route 53',
    nameServers: ['ns-1.awsdns-00.com', 'ns-2000.awsdns-58.co.uk'],
    labels: { type: 'Record type', name: 'Record name', ttl: 'TTL (seconds)' },
    apexName: '',
    groupsValues: true,
  },
  gandi: {
    ...common,
    label: 'Gandi',
    nameServers: ['ns-10-a.gandi.net', 'ns-10-b.gandi.net'],
    valueLabels: { CNAME: 'Hostname', ALIAS: 'Hostname', other: 'Value' },
    apexType: 'ALIAS',
    appendsZone: true,
  },
  ovh: {
    ...common,
    label: 'OVHcloud',
    nameServers: ['dns10.ovh.net', 'ns10.ovh.net'],
    labels: { ...common.labels, type: 'Record type', name: 'Sub-domain' },
    valueLabels: { TXT: 'Value', other: 'Target' },
    apexName: '',
    appendsZone: true,
  },
} as const satisfies Record<string, ProviderForm>;

/** Entries of an owner, by the label of the field. */
export type Typed = Readonly<Record<string, string>>;

/** A record of a zone, as the list of its provider has it. */
interface ZoneEntry {
  readonly type: string;
  /** The complete name, in lower case. */
  readonly name: string;
  /** Data in the format of a zone file. */
  readonly data: string;
  readonly isProxied: boolean;
}

export interface ProviderZone {
  readonly form: ProviderForm;
  readonly name: string;
  readonly entries: readonly ZoneEntry[];
}

/** Addresses of the proxies of Cloudflare. */
const PROXY = [
  { type: 'A', data: '104.16.1.1' },
  { type: 'AAAA', data: '2606:4700::6810:101' },
] as const;

/** Creates a record. @throws Error as the form refuses it */
export function addEntry(zone: ProviderZone, typed: Typed): ProviderZone {
  const entry = readTyped(zone, typed);
  if (zone.form.groupsValues && zone.entries.some((each) => isSameSet(each, entry)))
    throw refusal(zone, `has a ${entry.type} record of ${entry.name}: edit that one`);
  return withEntry(zone, entry);
}

/** Adds a line to the value of a record. @throws Error where a record has one value, or as the form refuses it */
export function addValue(zone: ProviderZone, typed: Typed): ProviderZone {
  const entry = readTyped(zone, typed);
  if (!zone.form.groupsValues || !zone.entries.some((each) => isSameSet(each, entry)))
    throw refusal(zone, `has no ${entry.type} record of ${entry.name} that takes another line`);
  return withEntry(zone, entry);
}

/** Changes a record. @throws Error as the form refuses it */
export function changeEntry(zone: ProviderZone, entry: ZoneEntry, typed: Typed): ProviderZone {
  return addEntry(deleteEntry(zone, entry), typed);
}

export function deleteEntry(zone: ProviderZone, entry: ZoneEntry): ProviderZone {
  return { ...zone, entries: zone.entries.filter((each) => each !== entry) };
}

/**
 * Finds a record in the list of the provider, by its type and its name there, and by its value where there are several.
 * @throws Error when the list has none, or more than one
 */
export function findEntry(zone: ProviderZone, typed: Typed): ZoneEntry {
  const { type, name } = valuesOf(zone, typed);
  const named = zone.entries.filter((each) => each.type === type && listedName(zone, each) === name);
  const found = named.length > 1 ? named.filter(({ data }) => data === readTyped(zone, typed).data) : named;
  const [entry, ...others] = found;
  if (entry === undefined || others.length > 0)
    throw refusal(zone, `lists ${found.length} records for ${JSON.stringify(typed)}`);
  return entry;
}

/** The records that name servers of the provider answer with. An ALIAS is answered with addresses. */
export function publishedRecords(zone: ProviderZone): Pick<ZoneEntry, 'type' | 'name' | 'data'>[] {
  return zone.entries.flatMap(({ type, name, data, isProxied }) => {
    if (isProxied) return PROXY.map((address) => ({ ...address, name }));
    return [{ type: type === 'CNAME' && name === zone.name ? 'ALIAS' : type, name, data }];
  });
}

function listedName({ name: zone, form }: ProviderZone, { name }: ZoneEntry): string {
  return name === zone ? form.apexName : name.slice(0, -(zone.length + 1));
}

function withEntry(zone: ProviderZone, entry: ZoneEntry): ProviderZone {
  const { form, name, entries } = zone;
  const others = entries.filter((each) => each.name === entry.name);
  if (entry.type === 'CNAME' && entry.name === name && form.apexType !== 'CNAME')
    throw refusal(zone, 'takes no CNAME of the zone itself');
  if (others.some(({ type, data }) => type === entry.type && (type === 'CNAME' || data === entry.data)))
    throw refusal(zone, `has this ${entry.type} record already`);
  const excludes = [entry, ...others].some((each) => each.type === 'CNAME' && each.name !== name);
  if (excludes && others.length > 0)
    throw refusal(zone, `has other records of ${entry.name}, beside which is no CNAME`);
  return { ...zone, entries: [...entries, entry] };
}

function isSameSet(one: ZoneEntry, other: ZoneEntry): boolean {
  return one.type === other.type && one.name === other.name;
}

/** The entries by what the fields are for. @throws Error for a field that the form does not have */
function valuesOf(zone: ProviderZone, typed: Typed): Readonly<Partial<Record<FieldKey, string>>> {
  const { labels, valueLabels } = zone.form;
  const type = typed[labels.type ?? ''] ?? '';
  const keys = new Map(Object.entries(labels).map(([key, label]) => [label, key as FieldKey])); // the keys of `labels`
  keys.set(valueLabels[type] ?? valueLabels.other, 'value');
  const isForAll = (key: FieldKey) => (key !== 'flags' && key !== 'tag') || type === 'CAA';
  return Object.fromEntries(
    Object.entries(typed).map(([label, text]) => {
      const key = keys.get(label);
      if (key === undefined || !isForAll(key)) throw refusal(zone, `has no field “${label}” of ${type} records`);
      return [key, text.trim()];
    }),
  );
}

/** @throws Error as the form refuses it */
function readTyped(zone: ProviderZone, typed: Typed): ZoneEntry {
  const { form } = zone;
  const { type = '', name = '', value = '', flags, tag, proxy } = valuesOf(zone, typed);
  const types = ['A', 'AAAA', 'CNAME', 'TXT', 'CAA', ...(form.apexType === null ? [] : [form.apexType])];
  if (!types.includes(type)) throw refusal(zone, `has no type ${type}`);
  if (value === '') throw refusal(zone, 'needs a value');
  const isProxied = form.proxies && ['A', 'AAAA', 'CNAME'].includes(type) && proxy !== 'DNS only';
  return { type, name: completeName(zone, name), data: dataOf(zone, type, { value, flags, tag }), isProxied };
}

function completeName(zone: ProviderZone, typed: string): string {
  const { form, name: apex } = zone;
  const name = typed.toLowerCase();
  if (name === form.apexName) return apex;
  if (!/^[a-z0-9_*-]+(?:\.[a-z0-9_-]+)*$/.test(name)) throw refusal(zone, `takes no name “${typed}”`);
  if (form.recognizesZone && (name === apex || name.endsWith(`.${apex}`))) return name;
  return `${name}.${apex}`;
}

function dataOf(
  zone: ProviderZone,
  type: string,
  {
    value,
    flags,
    tag,
  }: { readonly value: string; readonly flags: string | undefined; readonly tag: string | undefined },
): string {
  const { form, name } = zone;
  switch (type) {
    case 'A':
    case 'AAAA':
      if (type === 'A' ? !isIPv4(value) : !isIPv6(value)) throw refusal(zone, `takes no ${type} record of ${value}`);
      return value;
    case 'CNAME':
    case 'ALIAS':
      return value.endsWith('.') || !form.appendsZone ? `${value.replace(/\.$/, '')}.` : `${value}.${name}.`;
    case 'CAA': {
      const data = form.labels.flags === undefined ? value : `${flags ?? ''} ${tag ?? ''} "${value}"`;
      if (!/^\d{1,3} [a-z]+ "[^"]*"$/.test(data)) throw refusal(zone, `takes no CAA record of ${data}`);
      return data;
    }
    default:
      return value;
  }
}

function refusal({ form }: ProviderZone, problem: string): Error {
  return new Error(`${form.label} ${problem}`);
}

/**
 * Opens a zone at a provider, whose name servers are then the development DNS server.
 * @param typed the records that it has already
 */
export async function openProviderZone(
  records: DevRecords,
  form: ProviderForm,
  name: string,
  typed: readonly Typed[] = [],
): Promise<ProviderZone> {
  for (const server of form.nameServers) {
    await records.put({ name: server, type: 'A', data: ZONE_SERVER_ADDRESSES[0] });
    await records.put({ name, type: 'NS', data: `${server}.` });
  }
  const empty: ProviderZone = { form, name, entries: [] };
  const zone = typed.reduce(addEntry, empty);
  await publishZone(records, empty, zone);
  return zone;
}

/** Changes the records of the development DNS server as the name servers of a provider do. New records are there first. */
export async function publishZone(records: DevRecords, before: ProviderZone, after: ProviderZone): Promise<void> {
  const [old, wanted] = [publishedRecords(before), publishedRecords(after)];
  const keyOf = ({ type, name }: (typeof old)[number]) => `${type} ${name}`;
  const isIn = (list: typeof old, { data, ...record }: (typeof old)[number]) =>
    list.some((each) => each.data === data && keyOf(each) === keyOf({ ...record, data }));
  for (const record of wanted.filter((each) => !isIn(old, each))) await records.put(record);
  const gone = new Map(old.filter((each) => !isIn(wanted, each)).map((record) => [keyOf(record), record]));
  for (const [key, { name, type }] of gone) {
    const kept = wanted.filter((each) => keyOf(each) === key);
    // A CNAME has already been replaced.
    if (type === 'CNAME' && kept.length > 0) continue;
    await records.remove(name, type);
    for (const record of kept) await records.put(record);
  }
}
