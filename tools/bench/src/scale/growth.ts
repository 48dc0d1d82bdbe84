import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { nameOf } from '../edge/certificate-set.js';
import { built } from '../engine/programs.js';
import { median, quantile, type Figure } from '../figure.js';
import { describeTimes, removeNames } from './edge-alone.js';
import { ScaleEdge, type ScaleGround } from './scale-edge.js';
import { EDGE_NAMES } from '../settings.js';

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
export async function measureGrowth(ground: ScaleGround): Promise<Figure[]> {
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
  const { RouteReader } = (await import(built('edge', 'store/route-reader.js'))) as {
    RouteReader: new (file: string) => Reader; // apps/edge/src/store/route-reader.ts
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
