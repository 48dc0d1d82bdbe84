import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@pets/testing/processes';
import type { Random } from '../../round.js';
import type { ChaosEdge } from '../edge-chaos-fixture.js';
import {
  bitFlipped,
  damageOpenStore,
  damageStore,
  exchangeRoutes,
  findCertificate,
  findStore,
  truncated,
  type StoreFiles,
} from '../damages.js';
import {
  bringBackApi,
  edgeAt,
  finish,
  killAndStart,
  recover,
  remove,
  servedByAll,
  type Fault,
  type Scene,
} from './scene.js';

/** Reads the table once after its start, and a certificate when a visitor asks for it. */
const SAYS_LIMIT_MS = 15_000;

export const storeFaults: Readonly<Record<string, Fault>> = {
  'store-truncated': storeDamaged((files, random) => damageStore(files, 'truncated', random)),
  'store-zeroed': storeDamaged((files, random) => damageStore(files, 'zeroed', random)),
  'store-overwritten': storeDamaged((files, random) => damageStore(files, 'overwritten', random)),
  'store-routes-exchanged': storeDamaged(exchangeRoutes),
  'store-log-exchanged': logExchanged,
  'store-overwritten-while-open': overwrittenWhileOpen,
  'certificate-truncated': certificateDamaged(truncated),
  'certificate-bit-flipped': certificateDamaged(bitFlipped),
  'disk-full': diskFull,
  'disk-full-at-start': diskFullAtStart,
};

/** The store is damaged while the edge is down: it has to say so, and to serve as if nothing had been. */
function storeDamaged(damage: (files: StoreFiles, random: Random) => Promise<void> | void): Fault {
  return async ({ fixture, random, crowd }) => {
    const index = random.between(0, fixture.edges.length);
    const edge = edgeAt(fixture, index);
    await edge.process.kill();
    await damage(await findStore(edge.disk.folder), random);
    const since = Date.now();
    edge.process.start();
    await edge.process.untilReady();
    const seen = await saysDamage(edge, 'store');
    return { seen, ...(await recover(crowd, index, since)) };
  };
}

/**
 * Replaces the log by an older one, or by that of another edge; SQLite takes both. The API is away, so nothing else reports a
 * removal to the edge.
 */
async function logExchanged(scene: Scene) {
  const { fixture, random, crowd } = scene;
  const site = await scene.spare();
  const index = random.between(0, fixture.edges.length);
  const edge = edgeAt(fixture, index);
  const other = edgeAt(fixture, random.pick([index, 1 - index]));
  const kept = join(other.disk.folder, 'kept');
  if (other === edge) await edge.process.kill();
  await copyFile((await findStore(other.disk.folder)).log, kept);
  if (other === edge) {
    edge.process.start();
    await edge.process.untilReady();
  }
  const removal = await remove(scene, site, [204]);
  await Promise.all([edge.process.kill(), fixture.stack.api.kill()]);
  await copyFile(kept, (await findStore(edge.disk.folder)).log);
  await rm(kept);
  const since = Date.now();
  edge.process.start();
  const seen = await saysDamage(edge, 'store');
  await bringBackApi(fixture);
  await edge.process.untilReady();
  const recovery = await recover(crowd, index, since);
  return { seen: [...seen, ...(await finish(removal)).seen], ...recovery };
}

/** Damages an open store. The edge may notice at once, at the next change, or at its next start. */
async function overwrittenWhileOpen(scene: Scene) {
  const { fixture, random, crowd } = scene;
  const site = await scene.spare();
  const index = random.between(0, fixture.edges.length);
  const edge = edgeAt(fixture, index);
  await damageOpenStore(await findStore(edge.disk.folder), random);
  const removal = await remove(scene, site, [204, 202]);
  const { seen } = await finish(removal);
  const unserved = await servedByAll(scene);
  const since = await killAndStart(edge);
  const recovery = await recover(crowd, index, since);
  return { seen: [...seen, ...removal.servedSince()], ...recovery, unserved: [...unserved, ...recovery.unserved] };
}

function certificateDamaged(damage: (path: string, random: Random) => Promise<void>): Fault {
  return async ({ fixture, random, crowd }) => {
    const index = random.between(0, fixture.edges.length);
    const edge = edgeAt(fixture, index);
    await edge.process.kill();
    await damage(await findCertificate(edge.disk.folder, random), random);
    const since = Date.now();
    edge.process.start();
    await edge.process.untilReady();
    const recovery = await recover(crowd, index, since);
    return { seen: await saysDamage(edge, 'certificate'), ...recovery };
  };
}

/** A removal is not confirmed by an edge that cannot write it down. */
async function diskFull(scene: Scene) {
  const { fixture, random } = scene;
  const site = await scene.spare();
  const { disk } = edgeAt(fixture, random.between(0, fixture.edges.length));
  await disk.fill();
  const removal = await remove(scene, site, [204, 202]);
  const unserved = await servedByAll(scene);
  await disk.free();
  const { seen, recoveredMs } = await finish(removal);
  return { seen, recoveredMs, unserved: [...unserved, ...(await servedByAll(scene))] };
}

async function diskFullAtStart({ fixture, random, crowd }: Scene) {
  const index = random.between(0, fixture.edges.length);
  const edge = edgeAt(fixture, index);
  await edge.disk.fill();
  const since = await killAndStart(edge);
  const recovery = await recover(crowd, index, since);
  await edge.disk.free();
  return { seen: [], ...recovery };
}

async function saysDamage({ process }: ChaosEdge, what: string): Promise<readonly string[]> {
  const isSaid = () => process.lines.some((line) => /damaged|cannot be opened/.test(line));
  const said = await waitUntil(isSaid, { timeoutMs: SAYS_LIMIT_MS }).catch(() => false);
  return said ? [] : [`the edge did not say that its ${what} is damaged`];
}
