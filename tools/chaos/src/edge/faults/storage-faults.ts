import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing/processes';
import type { Random } from '../../round.js';
import { absences } from '@pets/lab';
import { bitFlipped, truncated } from '../damages.js';
import type { ChaosEdge, EdgeChaosFixture } from '../edge-chaos-fixture.js';
import { edgeAt, finish, OUTAGE_MS, recover, remove, servedByAll, type Fault, type Scene } from './scene.js';

/** A snapshot that is refused is asked for again within 30 s. */
const REFUSED_LIMIT_MS = 30_000;
/** The API may have to check the snapshot first: it does so five times as long after a check as that took, such as 8 s. */
const JOIN_LIMIT_MS = 90_000;

export const storageFaults: Readonly<Record<string, Fault>> = {
  'storage-away': storageAway,
  'storage-away-while-an-edge-joins': joinWithoutStorage,
  'snapshot-truncated': snapshotDamaged(truncated),
  'snapshot-bit-flipped': snapshotDamaged(bitFlipped),
};

/** Edges serve what they hold, and removals go on. */
async function storageAway(scene: Scene) {
  const { fixture, random } = scene;
  const site = await scene.spare();
  await servedByAll(scene); // so that they hold it
  await fixture.stack.bucket.takeAway(random.pick(absences));
  const removal = await remove(scene, site, [204, 202]);
  await sleep(OUTAGE_MS);
  const unserved = await servedByAll(scene);
  await fixture.stack.bucket.bringBack();
  const { seen, recoveredMs } = await finish(removal);
  return { seen, recoveredMs, unserved: [...unserved, ...(await servedByAll(scene))] };
}

/** An edge without a table has nothing to serve until the storage is back. */
async function joinWithoutStorage(scene: Scene) {
  const { fixture, random, crowd } = scene;
  const index = random.between(0, fixture.edges.length);
  const edge = edgeAt(fixture, index);
  await edge.process.kill();
  await deleteTable(edge);
  await fixture.stack.bucket.takeAway(random.pick(absences));
  edge.process.start();
  await sleep(OUTAGE_MS);
  const others = await crowd.untilServed(1 - index);
  const since = Date.now();
  await fixture.stack.bucket.bringBack();
  const isReady = await becomesReady(edge);
  const recovery = await recover(crowd, index, since);
  return { seen: isReady, ...recovery, unserved: [...others, ...recovery.unserved] };
}

/** An edge without a table refuses the snapshot, and loads the one that the API builds next. */
function snapshotDamaged(damage: (path: string, random: Random) => Promise<void>): Fault {
  return async (scene) => {
    const { fixture, random, crowd } = scene;
    const index = random.between(0, fixture.edges.length);
    const edge = edgeAt(fixture, index);
    await forgetSnapshots(fixture);
    // The API builds one for it.
    await edge.process.kill();
    await deleteTable(edge);
    edge.process.start();
    await edge.process.untilReady();
    await edge.process.kill();
    await deleteTable(edge);
    const file = random.pick(['manifest.json', '0.zst']);
    await damage(await fixture.stack.bucket.find(`${await newestSnapshot(fixture)}/${file}`), random);
    const since = Date.now();
    edge.process.start();
    const isRefused = () => edge.process.lines.some((line) => line.includes('snapshot not loaded'));
    const refused = await waitUntil(isRefused, { timeoutMs: REFUSED_LIMIT_MS }).catch(() => false);
    const others = await crowd.untilServed(1 - index);
    const isReady = await becomesReady(edge);
    const recovery = await recover(crowd, index, since);
    const seen = [...(refused ? [] : [`the edge did not refuse a snapshot with a damaged ${file}`]), ...isReady];
    return { seen, ...recovery, unserved: [...others, ...recovery.unserved] };
  };
}

/** @returns what is to be reported */
async function becomesReady({ process }: ChaosEdge): Promise<readonly string[]> {
  return process.untilReady(JOIN_LIMIT_MS).then(
    () => [],
    () => [`the edge is not ready after ${JOIN_LIMIT_MS} ms`],
  );
}

/** The table and its position, but not the identity: the API would wait for an edge that is gone. */
async function deleteTable({ disk }: ChaosEdge): Promise<void> {
  const names = (await readdir(disk.folder)).filter((name) => name.startsWith('routes'));
  await Promise.all(names.map((name) => rm(join(disk.folder, name))));
}

async function forgetSnapshots({ stack: { postgres } }: EdgeChaosFixture): Promise<void> {
  await postgres.query('update edge_snapshots set deleting_at = now()');
}

/** @returns its folder */
async function newestSnapshot({ stack: { postgres } }: EdgeChaosFixture): Promise<string> {
  const [row] = await postgres.query<{ folder: string }>(
    `select format('snapshots/%s/%s/%s', epoch, version, id) as folder from edge_snapshots
     where finished_at is not null and deleting_at is null order by finished_at desc limit 1`,
  );
  if (row === undefined) throw new Error('there is no snapshot');
  return row.folder;
}
