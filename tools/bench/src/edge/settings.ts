import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';

/** What may be set for a run of the edge's suite. */
export const edgeSchema = z.object({
  /** How many names with a certificate each are served while the loads run. */
  BENCH_EDGE_NAMES: setting.integer().pipe(z.int().min(1_000)).default(10_000),
  /** With how many names start-up is measured. */
  BENCH_EDGE_START_UPS: setting
    .list()
    .transform((sizes) => sizes.map(Number))
    .pipe(z.array(z.int().min(1_000)))
    .default([1_000, 10_000, 100_000]),
  /** How often each load is run on each server, in turns. */
  BENCH_EDGE_ROUNDS: setting.integer().pipe(z.int().min(1)).default(7),
  /** How long a load runs. */
  BENCH_EDGE_SECONDS: setting.integer().pipe(z.int().min(1)).default(2),
  /** How many domains are removed, each with visitors of every kind. */
  BENCH_EDGE_REMOVALS: setting.integer().pipe(z.int().min(1)).default(5),
  /** Handshakes with names that do not exist, while a visitor's waiting is measured. */
  BENCH_EDGE_UNKNOWN_NAMES: setting.integer().pipe(z.int().min(100)).default(10_000),
  /** Which parts are run. */
  BENCH_EDGE_PARTS: setting
    .list()
    .pipe(z.array(z.enum(['loads', 'start-ups', 'attack', 'removals'])))
    .default(['loads', 'start-ups', 'attack', 'removals']),
  /** A folder for CPU profiles of the edge. */
  PROFILE: z.string().optional(),
});

export const edgeSettings = loadConfigOrExit(edgeSchema);
