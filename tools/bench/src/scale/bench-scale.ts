import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EdgeSnapshotReference } from '@pets/contracts';
import { certificateObjectKey, openFileStorage } from '@pets/platform';
import { certificateIdOf, openCertificateSet, readSealed } from '../edge/certificate-set.js';
import { routesOf, writeFirstSnapshot } from '../edge/feed-fixture.js';
import type { Figure } from '../figure.js';
import { measureCertificates, measureEdge, measureMemory, measureResumption } from './edge-alone.js';
import { measureChanges } from './fleet-changes.js';
import { measureGrowth } from './growth.js';
import { measureJoins } from './joins.js';
import type { ScaleGround } from './scale-edge.js';
import { ASKED_NAMES, scaleSettings, SERVED_NAMES, type scaleParts } from '../settings.js';

/**
 * Measures an edge with a million names, and pets-api with many edges. Most figures have a limit in milliseconds or megabytes:
 * on a machine that others use too, a missed one says little without a second run.
 */

const FILE_BYTES = 10_240;
const COPIES_AT_ONCE = 32;

type Prepared = () => Promise<ScaleGround>;

const parts = {
  edge: async (prepared) => measureEdge(await prepared()),
  memory: async (prepared) => measureMemory(await prepared()),
  certificates: async (prepared) => measureCertificates(await prepared()),
  growth: async (prepared) => measureGrowth(await prepared()),
  joins: () => measureJoins(),
  changes: () => measureChanges(),
  resumption: async (prepared) => measureResumption(await prepared()),
} as const satisfies Record<(typeof scaleParts)[number], (prepared: Prepared) => Promise<Figure[]>>;

export async function benchScale(): Promise<readonly Figure[]> {
  print('the limits are absolute, so other load on the machine counts');
  const folder = await mkdtemp(join(tmpdir(), 'pets-bench-scale-'));
  try {
    let ground: Promise<ScaleGround> | undefined;
    const prepared = () => (ground ??= prepare(folder));
    const figures: Figure[] = [];
    for (const part of scaleSettings.BENCH_SCALE_PARTS) figures.push(...(await parts[part](prepared)));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Certificates, the file of all sites, and snapshots when they are needed. */
async function prepare(folder: string): Promise<ScaleGround> {
  const began = performance.now();
  const certificates = SERVED_NAMES + ASKED_NAMES;
  const set = await openCertificateSet(certificates);
  const siteFolder = join(folder, 'site');
  await mkdir(siteFolder);
  const text = '<!doctype html><title>Bench</title>\n'.padEnd(FILE_BYTES, 'All animals are equal. ');
  await writeFile(join(siteFolder, 'index.html'), text);
  const storage = await openFileStorage(pathToFileURL(join(folder, 'files')).href);
  let next = 0;
  const copy = async () => {
    for (let index = next++; index < certificates; index = next++)
      await storage.write(certificateObjectKey(certificateIdOf(index)), await readSealed(set.folder, index));
  };
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, copy));
  print(`${certificates} certificates in the storage after ${seconds(began)} s`);
  const snapshots = new Map<number, EdgeSnapshotReference>();
  const snapshot = async (names: number) => {
    const startedAt = performance.now();
    const known = snapshots.get(names);
    if (known !== undefined) return known;
    const reference = await writeFirstSnapshot(storage, `bench-${names}`, routesOf(names));
    print(`snapshot of ${names} names after ${seconds(startedAt)} s`);
    snapshots.set(names, reference);
    return reference;
  };
  return { set, folder, siteFolder, snapshot };
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
