import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';

/** What may be set for a run, besides what the programs under test are given. */
export const settingsSchema = z.object({
  /** How often each server gets each load of the API. */
  BENCH_API_ROUNDS: setting.integer().pipe(z.int().min(1)).default(5),
  /** How many domains come due at once. */
  BENCH_DOMAINS: setting.integer().pipe(z.int().min(400)).default(20_000),
  /** How many names of one tenant are due while another clicks. */
  BENCH_FLOOD: setting.integer().pipe(z.int().min(1_000)).default(200_000),
  /** Only these attacks of the suite `fair`, and nothing else of it; all of it when empty. */
  BENCH_ATTACKS: setting.list().default([]),
  /** How many names one tenant imports while another clicks. */
  BENCH_BULK_ROWS: setting.integer().pipe(z.int().min(1_000).max(100_000)).default(100_000),
  /** Where BullMQ keeps its queues: one run each. */
  BENCH_STORES: setting
    .list()
    .pipe(z.array(z.enum(['redis', 'postgres'])))
    .default(['redis', 'postgres']),
  /** How many domains get their certificates one by one, in turns with a bare issuance. */
  BENCH_CERTIFICATES: setting.integer().pipe(z.int().min(1)).default(100),
  /** How many at once. */
  BENCH_CERTIFICATES_AT_ONCE: setting.integer().pipe(z.int().min(1)).default(200),
  /** How many streams of events are open. */
  BENCH_STREAMS: setting.integer().pipe(z.int().min(20)).default(1_000),
  /** A folder for CPU profiles of pets-api and domains-worker. */
  PROFILE: z.string().optional(),
  /** Where redis-server is found. */
  PATH: z.string().default(''),
});

export const settings = loadConfigOrExit(settingsSchema);
