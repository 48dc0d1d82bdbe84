/** Fills the disk of a folder, which is small, and prints what the store then does, as one JSON text. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@pets/platform';
import { RouteReader } from '../src/store/route-cache.js';
import { RouteStore } from '../src/store/route-store.js';
import { scanTable } from '../src/store/load-table.js';
import { batchAfter, hostAt, manyRows, position, replaceTable, siteOf } from './store-fixture.js';

const [folder = ''] = process.argv.slice(1);
const filler = join(folder, 'filler');
const never = new AbortController().signal;
const { store } = await RouteStore.open(join(folder, 'store'), createLogger('edge', 'silent'));
await replaceTable(store, position, manyRows(1_000));
store.saveContact(1_000);

const routes = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [hostAt(index), siteOf(null, 'new')]));
const batch = batchAfter(position, routes);
const reader = new RouteReader(store.file);
const hashOf = (host: string) => {
  const serve = reader.find(host)?.serve;
  return serve?.kind === 'site' ? serve.contentHash : 'none';
};
const earlier = hashOf(hostAt(0));

const describe = () => ({
  version: store.position.version,
  contactAtMs: store.contactAtMs,
  isOld: hashOf(hostAt(0)) === earlier && hashOf(hostAt(899)) !== 'new',
});
const failureOf = async (step: () => unknown) => {
  try {
    await step();
    return 'none';
  } catch (error) {
    return error instanceof Error && 'errcode' in error ? error.errcode : String(error);
  }
};

fillDisk();
const whileFull = {
  batch: await failureOf(() => store.apply(batch)),
  contact: await failureOf(() => fillWithContacts()),
  table: await failureOf(() => replaceTable(store, position, manyRows(1_000))),
  ...describe(),
};
rmSync(filler);
const retried = { batch: await failureOf(() => store.apply(batch)), ...describe(), isNew: hashOf(hostAt(0)) === 'new' };
await scanTable(store.file, never);
await replaceTable(store, { ...position, version: 9 }, manyRows(1_000));
process.stdout.write(`${JSON.stringify({ whileFull, retried, replaced: store.position.version })}\n`);

function fillDisk(): void {
  const part = Buffer.alloc(4_096);
  try {
    for (;;) writeFileSync(filler, part, { flag: 'a' });
  } catch {
    // full
  }
}

/** The first ones may fit into what the write-ahead log has allocated. */
function fillWithContacts(): void {
  for (let contactAtMs = 1_001; contactAtMs < 2_000; contactAtMs += 1) store.saveContact(contactAtMs);
}
