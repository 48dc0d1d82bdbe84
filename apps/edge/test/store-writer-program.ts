/**
 * Writes to the store of a folder until it is killed, and prints each version that is durable. Version V has the content
 * hash V in two rows that are far apart, and then the contact V. Every 20th version is a table of its own.
 */
import { createLogger } from '@pets/platform';
import { RouteStore } from '../src/store/route-store.js';
import { batchAfter, hostAt, manyRows, position, replaceTable, siteOf } from './store-fixture.js';

const [folder = ''] = process.argv.slice(1);
const HOSTS = 3_000;
const { store } = await RouteStore.open(folder, createLogger('edge', 'silent'));

for (;;) {
  const version = store.position.version + 1;
  const route = siteOf(null, String(version));
  if (version % 20 === 1) {
    const rows = [...manyRows(HOSTS)].flat().map((row) => ({ ...row, version, route: JSON.stringify(route) }));
    await replaceTable(store, { ...position, version }, [rows]);
    await store.deleteReplaced();
  } else {
    store.apply(batchAfter(store.position, { [hostAt(0)]: route, [hostAt(HOSTS - 1)]: route }));
  }
  store.saveContact(version);
  process.stdout.write(`${version}\n`);
  await new Promise(setImmediate);
}
