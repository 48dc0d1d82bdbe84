import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '@pets/testing/processes';
import { cpuSeconds, memoryMb, moveToDriverProcessor } from '../engine/processes.js';
import type { Figure } from '../figure.js';
import { edgeSettings } from '../settings.js';
import { measureUnderAttack } from './attack.js';
import {
  drive,
  prepareGround,
  startAndWait,
  untilServing,
  type Contestant,
  type Ground,
  type Serving,
} from './contestant.js';
import { measureLoads, measureRules } from './loads.js';
import { ourEdge, ourEdgeWithRules, startOurEdge } from './our-edge.js';
import { bareNode, caddy, nginx } from './peers.js';
import { measureRemovals } from './removals.js';

/**
 * Compares the CPU time of our edge with Debian's Caddy and nginx: the same file, certificates and processor, alternating.
 * Elapsed time would depend on what else the machine does. Also measures how long a visitor waits during an attack, and checks
 * that nothing of a removed site is served after the removal is confirmed: with the real API, four edges and visitors of every
 * kind.
 */

const { BENCH_EDGE_NAMES: NAMES, BENCH_EDGE_START_UPS: START_UPS, BENCH_EDGE_PARTS: PARTS } = edgeSettings;

export async function benchEdge(): Promise<readonly Figure[]> {
  for (const program of ['caddy', 'nginx', 'taskset', 'chrt']) {
    if (!isInstalled(program))
      throw new Error(`${program} is not installed: "node tools/setup.mjs bench" does that on Debian`);
  }
  const contestants: readonly Contestant[] = [ourEdge, caddy, nginx];
  const folder = await mkdtemp(join(tmpdir(), 'pets-bench-edge-'));
  try {
    const ground = await prepareGround(folder, Math.max(NAMES, ...START_UPS));
    moveToDriverProcessor();
    const parts = {
      loads: () => measureLoads(ground, [...contestants, bareNode]),
      'start-ups': () => measureStartUps(ground, contestants, START_UPS),
      rules: () => measureRules(ground, ourEdge, ourEdgeWithRules),
      attack: () => measureUnderAttack(ground),
      removals: () => measureRemovals(),
    } as const satisfies Record<(typeof PARTS)[number], () => Promise<Figure[]>>;
    const figures: Figure[] = [];
    for (const part of PARTS) figures.push(...(await parts[part]()));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const START_UP_LIMIT_S = 5;
const MEMORY_LIMIT_MB = 400;
/** Requests before memory is read: an idle process has not released memory yet. */
const VISITS = 500;

interface StartUp {
  readonly seconds: number;
  readonly cpu: number;
  readonly memoryMb: number;
}

/** From the start of a process to its first response, by number of names; ours also after a kill, with a snapshot. */
async function measureStartUps(
  ground: Ground,
  contestants: readonly Contestant[],
  sizes: readonly number[],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const names of sizes) {
    for (const contestant of contestants.filter(({ mostNames }) => mostNames >= names)) {
      const first = await startAndWait(contestant, ground, names);
      const startUp = await look(ground, first.serving, first.ms);
      print(contestant.name, names, startUp);
      if (contestant.name !== 'ours') {
        await first.serving.stop();
        continue;
      }
      const restart = await restartAfterKill(ground, names, first.serving);
      print('ours, after a kill', names, restart);
      if (names === Math.max(...sizes)) figures.push(...limits(names, [startUp, restart]));
    }
  }
  return figures;
}

async function restartAfterKill(ground: Ground, names: number, serving: Serving): Promise<StartUp> {
  process.kill(serving.pid, 'SIGKILL');
  await serving.stop();
  const again = await startOurEdge(ground, names, join(ground.folder, `edge-${names}`));
  const startUp = await look(ground, again, await untilServing(again, names));
  await again.stop();
  return startUp;
}

async function look({ set }: Ground, serving: Serving, ms: number): Promise<StartUp> {
  const cpu = cpuSeconds(serving.pid);
  await drive(serving, set.rootPem, { kind: 'hits', first: 0, names: VISITS });
  return { seconds: ms / 1_000, cpu, memoryMb: memoryMb(serving.pid) };
}

function limits(names: number, startUps: readonly StartUp[]): Figure[] {
  const slowest = Math.max(...startUps.map(({ seconds }) => seconds));
  const largest = Math.max(...startUps.map((startUp) => startUp.memoryMb));
  return [
    { name: `edge/start-up-${names}/limit`, ratio: START_UP_LIMIT_S / slowest, bar: 1 },
    { name: `edge/memory-${names}/limit`, ratio: MEMORY_LIMIT_MB / largest, bar: 1 },
  ];
}

function print(name: string, names: number, { seconds, cpu, memoryMb: mb }: StartUp): void {
  const after = `${seconds.toFixed(2)} s (${cpu.toFixed(2)} CPU s)`;
  process.stdout.write(`${name}: ${names} names, first answer after ${after}, ${mb.toFixed(0)} MB\n`);
}
