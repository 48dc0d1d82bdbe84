import { setTimeout as sleep } from 'node:timers/promises';
import { nameOf } from '../edge/certificate-set.js';
import { drive } from '../edge/driver.js';
import { routeOf } from '../edge/feed-fixture.js';
import { median, quantile, type Figure } from '../figure.js';
import { ScaleEdge, type ScaleGround } from './scale-edge.js';
import { EDGE_NAMES, SERVED_NAMES } from './settings.js';

const RESTARTS = 3;
const REMOVALS = 2_000;
const WARM_UP_REMOVALS = 200;
const REMOVAL_PAUSE_MS = 2;
const VISITED_NAMES = 1_000;
const ROUNDS = 5;
const CHANGE_INTERVAL_MS = 100;
const BYTES_A_KB = 1_024;

/** One edge with all names: ready times, removals with what they write, and visitors while the table changes. */
export async function measureEdge(ground: ScaleGround): Promise<Figure[]> {
  const { edge, readyMs } = await ScaleEdge.start(ground, EDGE_NAMES, { name: 'alone', processes: 1 });
  try {
    print(
      `${EDGE_NAMES} names: ready from an empty disk after ${readyMs.toFixed(0)} ms, ${edge.memoryMb().toFixed(0)} MB`,
    );
    const restarts: number[] = [];
    for (let round = 0; round < RESTARTS; round++) restarts.push(await edge.restartAfterKill());
    print(`ready from its own store after ${restarts.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    const empty: Figure = { name: 'scale/ready-empty-disk-s', ratio: readyMs / 1_000, bar: 15, isMaximum: true };
    const own: Figure = { name: 'scale/ready-own-store-s', ratio: median(restarts) / 1_000, bar: 2, isMaximum: true };
    return [...(await measureRemovals(edge)), await measureVisitors(ground, edge), empty, own];
  } finally {
    await edge.stop();
  }
}

async function measureRemovals(edge: ScaleEdge): Promise<Figure[]> {
  await removeNames(edge, WARM_UP_REMOVALS);
  const before = edge.writtenBytes();
  const times = await removeNames(edge, REMOVALS);
  const kilobytes = (edge.writtenBytes() - before) / BYTES_A_KB / REMOVALS;
  print(`${REMOVALS} removals: ${describeTimes(times)}, ${kilobytes.toFixed(1)} KB written each`);
  return [
    { name: 'scale/removal-p99-ms', ratio: quantile(times, 0.99), bar: 50, isMaximum: true },
    { name: 'scale/written-a-change-kb', ratio: kilobytes, bar: 24, isMaximum: true },
  ];
}

/** Removes names that nobody visits. @returns the milliseconds to each acknowledgement */
export async function removeNames(edge: ScaleEdge, count: number, names = EDGE_NAMES): Promise<number[]> {
  const times: number[] = [];
  for (let removed = 0; removed < count; removed++) {
    times.push(await edge.api.publish(nameOf(unvisited(names)), null));
    await sleep(REMOVAL_PAUSE_MS);
  }
  return times;
}

async function measureVisitors(ground: ScaleGround, edge: ScaleEdge): Promise<Figure> {
  const load = { kind: 'hits', first: 0, names: Math.min(VISITED_NAMES, SERVED_NAMES) } as const;
  const visit = async () => (await drive(edge, ground.set.rootPem, load)).latencies ?? [];
  await visit(); // opens every certificate and warms up the program
  const [quiet, changing]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(...(await visit()));
    const over = new AbortController();
    const publishing = publishUntil(edge, over.signal);
    changing.push(...(await visit()));
    over.abort();
    await publishing;
  }
  print(`visitors, quiet: ${describeTimes(quiet)}`);
  print(`visitors, ten changes a second: ${describeTimes(changing)}`);
  const ratio = quantile(changing, 0.99) / quantile(quiet, 0.99);
  return { name: 'scale/visitor-p99-changing/quiet', ratio, bar: 1.5, isMaximum: true };
}

async function publishUntil(edge: ScaleEdge, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const index = unvisited(EDGE_NAMES);
    await edge.api.publish(nameOf(index), { ...routeOf(index), answersChallenges: false });
    await sleep(CHANGE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function unvisited(names: number): number {
  const visited = Math.min(SERVED_NAMES, names / 2);
  return visited + Math.floor(Math.random() * (names - visited));
}

export function describeTimes(times: readonly number[]): string {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, longest ${Math.max(...times).toFixed(1)} ms`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
