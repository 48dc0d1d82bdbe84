import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing/processes';
import { openFileStorage, type FileStorage } from '@pets/platform';
import { nameOf } from '../src/edge/certificate-set.js';
import { VERSION, writeFirstSnapshot } from '@pets/lab';
import { EDGE_TOKEN, routesOf } from '../src/edge/feed-fixture.js';
import { ScaleApi } from '../src/scale/scale-edge.js';
import { SimulatedEdge } from '../src/scale/simulated-edge.js';

let folder: string;
let storage: FileStorage;
let api: ScaleApi;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-scale-'));
  storage = await openFileStorage(pathToFileURL(folder).href);
  api = await ScaleApi.start(await writeFirstSnapshot(storage, 'bench', routesOf(6_000)));
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

it('a simulated edge loads the snapshot, follows changes, and sees what is stored', async () => {
  const inSync = Promise.withResolvers<void>();
  const stored: number[] = [];
  const aborted: string[] = [];
  const edge = new SimulatedEdge({
    ...{ apiUrl: api.url, token: EDGE_TOKEN, storage, onInSync: inSync.resolve },
    onStored: (version) => stored.push(version),
    onAborted: (reason) => aborted.push(reason),
  });
  const running = edge.run();
  await inSync.promise;
  expect(await api.publish(nameOf(1), null)).toBeGreaterThan(0);
  await api.publish(nameOf(2), null);
  await waitUntil(() => stored.includes(VERSION + 2), { message: 'the last acknowledgement to be stored' });
  edge.stop();
  await running;
  expect(stored).toEqual([VERSION, VERSION + 1, VERSION + 2]);
  expect(aborted).toEqual([]);
});
