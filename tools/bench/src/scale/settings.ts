import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';

export const scaleParts = ['edge', 'memory', 'certificates', 'growth', 'joins', 'changes', 'resumption'] as const;

/** Settings of the suite `scale`. */
export const scaleSchema = z.object({
  /** Names in the route table; 1 000 000 for an edge alone and 200 000 for fleets when unset. */
  BENCH_NAMES: setting.integer().pipe(z.int().min(2_000)).optional(),
  /** The parts to run. */
  BENCH_SCALE_PARTS: setting
    .list()
    .pipe(z.array(z.enum(scaleParts)))
    .default([...scaleParts]),
  /** A folder for CPU profiles of the edge. */
  PROFILE: z.string().optional(),
});

export const scaleSettings = loadConfigOrExit(scaleSchema);

/** Names of an edge alone. */
export const EDGE_NAMES = scaleSettings.BENCH_NAMES ?? 1_000_000;

/** Names of a fleet. */
export const FLEET_NAMES = scaleSettings.BENCH_NAMES ?? 200_000;

/** Names with certificates that visitors use. */
export const SERVED_NAMES = Math.min(10_000, EDGE_NAMES / 2);

/** Names that are asked for besides, for the first time. */
export const ASKED_NAMES = Math.min(3_000, EDGE_NAMES / 4);
