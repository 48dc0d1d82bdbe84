import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '@pets/testing/processes';
import { prepareGround, type Ground } from '../edge/contestant.js';
import { moveToDriverProcessor } from '../engine/processes.js';
import type { Figure } from '../figure.js';
import { originSettings, type originParts } from '../settings.js';
import { measureChanges } from './changes.js';
import { NAMES } from './contestants.js';
import { measureHanging } from './hanging.js';
import { measureLargeBodies } from './large-bodies.js';
import { measureLatency } from './latency.js';
import { measureLoads } from './loads.js';
import { measureWebSockets } from './websockets.js';

/**
 * Compares our edge, where it forwards to an application, with a floor: the same TLS listener and `undici.Pool`. Both forward to
 * the same application, which runs beside the clients on another processor.
 */

const parts = {
  loads: measureLoads,
  latency: measureLatency,
  websockets: measureWebSockets,
  'large-bodies': measureLargeBodies,
  hanging: measureHanging,
  changes: measureChanges,
} as const satisfies Record<(typeof originParts)[number], (ground: Ground) => Promise<Figure[]>>;

export async function benchOrigin(): Promise<readonly Figure[]> {
  for (const program of ['caddy', 'nginx', 'taskset']) {
    if (!isInstalled(program))
      throw new Error(`${program} is not installed: "node tools/setup.mjs bench" does that on Debian`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'pets-bench-origin-'));
  try {
    const ground = await prepareGround(folder, NAMES);
    moveToDriverProcessor();
    const figures: Figure[] = [];
    for (const part of originSettings.BENCH_ORIGIN_PARTS) figures.push(...(await parts[part](ground)));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
