import { ZONE_SERVER_ADDRESSES } from '@pets/testing/dev-dns';
import type { DevRecords } from './dev-records.js';
import { addEntry, publishedRecords, type ProviderForm, type ProviderZone, type Typed } from './provider-forms.js';

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
