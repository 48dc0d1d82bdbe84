import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '@pets/dev-stack';
import type { Figure } from '../figure.js';
import { bareNode, caddy, nginx } from './peers.js';
import { prepareGround, type Contestant } from './contestant.js';
import { measureLoads } from './loads.js';
import { ourEdge } from './our-edge.js';
import { moveToDriverProcessor } from '../engine/processes.js';
import { measureRemovals } from './removals.js';
import { edgeSettings } from '../settings.js';
import { measureStartUps } from './start-ups.js';
import { measureUnderAttack } from './attack.js';

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
