import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';

/** Settings of the edge suite. */
export const edgeSchema = z.object({
  /** Names with certificates that are served during the loads. */
  BENCH_EDGE_NAMES: setting.integer().pipe(z.int().min(1_000)).default(10_000),
  /** Numbers of names for which the start-up is measured. */
  BENCH_EDGE_START_UPS: setting
    .list()
    .transform((sizes) => sizes.map(Number))
    .pipe(z.array(z.int().min(1_000)))
    .default([1_000, 10_000, 100_000]),
  /** Rounds of each load; the servers alternate within a round. */
  BENCH_EDGE_ROUNDS: setting.integer().pipe(z.int().min(1)).default(7),
  /** Seconds that a load runs. */
  BENCH_EDGE_SECONDS: setting.integer().pipe(z.int().min(1)).default(2),
  /** Seconds that a load runs before it is measured: long enough for a just-in-time compiler to optimize the hot code. */
  BENCH_EDGE_WARM_UP: setting.integer().pipe(z.int().min(1)).default(10),
  /** Domains that are removed, each with visitors of every kind. */
  BENCH_EDGE_REMOVALS: setting.integer().pipe(z.int().min(1)).default(5),
  /** Handshakes with unknown names during the attack. */
  BENCH_EDGE_UNKNOWN_NAMES: setting.integer().pipe(z.int().min(100)).default(10_000),
  /** The parts to run. */
  BENCH_EDGE_PARTS: setting
    .list()
    .pipe(z.array(z.enum(['loads', 'start-ups', 'attack', 'removals'])))
    .default(['loads', 'start-ups', 'attack', 'removals']),
  /** A folder for CPU profiles of the edge. */
  PROFILE: z.string().optional(),
});

export const edgeSettings = loadConfigOrExit(edgeSchema);
