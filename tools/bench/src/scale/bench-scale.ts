import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { EdgeSnapshotReference } from '@pets/contracts';
import { built, writeFirstSnapshot } from '@pets/lab';
import { certificateObjectKey, openFileStorage } from '@pets/platform';
import { certificateIdOf, nameOf, openCertificateSet, readSealed } from '../edge/certificate-set.js';
import { routesOf } from '../edge/feed-fixture.js';
import { memoryMb } from '../engine/processes.js';
import { type Figure, median, quantile } from '../figure.js';
import { ASKED_NAMES, EDGE_NAMES, FLEET_NAMES, type scaleParts, scaleSettings, SERVED_NAMES } from '../settings.js';
import {
  describeTimes,
  measureCertificates,
  measureEdge,
  measureMemory,
  measureResumption,
  removeNames,
} from './edge-alone.js';
import { measureChanges, startFleetFixture, type FleetFixture } from './fleet.js';
import { ScaleEdge, type ScaleGround } from './scale-edge.js';

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

const EDGES = 50;
const MEMORY_INTERVAL_MS = 100;
const LIVENESS_INTERVAL_MS = 20;
const SETTLE_MS = 3_000;

/** New edges that join at once, when there is no snapshot yet. */
async function measureJoins(): Promise<Figure[]> {
  const fixture = await startFleetFixture();
  try {
    await sleep(SETTLE_MS); // what pets-api does after its start is not measured
    const before = memoryMb(fixture.api.pid);
    const over = new AbortController();
    const watching = [watchMemory(fixture, over.signal), watchLiveness(fixture, over.signal)];
    const began = performance.timeOrigin + performance.now();
    const fleet = fixture.join(EDGES);
    const seconds = ((await fleet.inSync()) - began) / 1_000;
    over.abort();
    const [memory = [], liveness = []] = await Promise.all(watching);
    const [megabytes, livenessMs] = [Math.max(...memory) - before, quantile(liveness, 0.99)];
    const aborted = fleet.aborted.length;
    print(
      `${EDGES} edges with ${FLEET_NAMES} names in sync after ${seconds.toFixed(1)} s; pets-api from ${before.toFixed(0)} MB ` +
        `to ${(before + megabytes).toFixed(0)} MB; /livez p99 ${livenessMs.toFixed(0)} ms of ${liveness.length}; ${aborted} aborted`,
    );
    for (const reason of new Set(fleet.aborted)) print(`aborted: ${reason}`);
    return [
      { name: 'scale/join-50-s', ratio: seconds, bar: 15, isMaximum: true },
      { name: 'scale/join-50-api-memory-mb', ratio: megabytes, bar: 100, isMaximum: true },
      { name: 'scale/join-50-livez-p99-ms', ratio: livenessMs, bar: 250, isMaximum: true },
      { name: 'scale/join-50-not-aborted', ratio: EDGES / (EDGES + aborted), bar: 1 },
    ];
  } finally {
    await fixture.close();
  }
}

async function watchMemory({ api }: FleetFixture, signal: AbortSignal): Promise<number[]> {
  const megabytes: number[] = [];
  while (!signal.aborted) {
    megabytes.push(memoryMb(api.pid));
    await sleep(MEMORY_INTERVAL_MS);
  }
  return megabytes;
}

async function watchLiveness({ api }: FleetFixture, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const began = performance.now();
    const response = await fetch(`${api.url}/livez`);
    await response.arrayBuffer();
    times.push(response.ok ? performance.now() - began : Infinity);
    await sleep(LIVENESS_INTERVAL_MS);
  }
  return times;
}

const REMOVALS = 1_000;
const WARM_UP = 300;
const LOOKUPS = 20_000;
const ROUNDS = 5;
/** The largest over the smallest. */
const FLAT = 1.5;

/** The part of the edge's reader that is measured. */
interface Reader {
  find(host: string): unknown;
  close(): void;
}

interface Row {
  readonly names: number;
  readonly removalMs: number;
  readonly lookupUs: number;
}

/** How a removal and a look-up grow with the table. */
async function measureGrowth(ground: ScaleGround): Promise<Figure[]> {
  const rows: Row[] = [];
  for (const names of [EDGE_NAMES / 100, EDGE_NAMES / 10, EDGE_NAMES].map(Math.round))
    rows.push(await look(ground, names));
  const growth = (values: readonly number[]) => Math.max(...values) / Math.min(...values);
  const removal = growth(rows.map(({ removalMs }) => removalMs));
  const lookup = growth(rows.map(({ lookupUs }) => lookupUs));
  return [
    { name: 'scale/growth-removal', ratio: removal, bar: FLAT, isMaximum: true },
    { name: 'scale/growth-lookup', ratio: lookup, bar: FLAT, isMaximum: true },
  ];
}

async function look(ground: ScaleGround, names: number): Promise<Row> {
  const { edge } = await ScaleEdge.start(ground, names, { name: `growth-${names}`, processes: 1 });
  try {
    await removeNames(edge, Math.min(WARM_UP, names / 4), names);
    const times = await removeNames(edge, Math.min(REMOVALS, names), names);
    const lookupUs = await lookUp(edge.folder, names);
    process.stdout.write(`${names} names: removal ${describeTimes(times)}; look-up ${lookupUs.toFixed(1)} µs\n`);
    return { names, removalMs: quantile(times, 0.5), lookupUs };
  } finally {
    await edge.stop();
  }
}

/** Random names with the edge's own reader, beside the edge. @returns microseconds of CPU time a look-up */
async function lookUp(folder: string, names: number): Promise<number> {
  const { RouteReader } = (await import(built('edge', 'store/route-cache.js'))) as {
    RouteReader: new (file: string) => Reader; // apps/edge/src/store/route-cache.ts
  };
  const file = readdirSync(folder).find((name) => /^routes-\d+\.db$/.test(name));
  if (file === undefined) throw new Error('the edge has no table');
  const reader = new RouteReader(join(folder, file));
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const hosts = Array.from({ length: LOOKUPS }, () => nameOf(Math.floor(Math.random() * names)));
    const began = process.cpuUsage();
    for (const host of hosts) reader.find(host);
    const { user, system } = process.cpuUsage(began);
    rounds.push((user + system) / LOOKUPS);
  }
  reader.close();
  return median(rounds);
}
