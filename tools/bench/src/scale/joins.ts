import { setTimeout as sleep } from 'node:timers/promises';
import { memoryMb } from '../engine/processes.js';
import { quantile, type Figure } from '../figure.js';
import { startFleetFixture, type FleetFixture } from './fleet.js';
import { FLEET_NAMES } from '../settings.js';

const EDGES = 50;
const MEMORY_INTERVAL_MS = 100;
const LIVENESS_INTERVAL_MS = 20;
const SETTLE_MS = 3_000;

/** New edges that join at once, when there is no snapshot yet. */
export async function measureJoins(): Promise<Figure[]> {
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

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
