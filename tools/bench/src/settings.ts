import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';

/** Settings of a run, besides those of the programs under test. */
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
  /** Stores of BullMQ's queues: one run each. */
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
  /** Folders to find redis-server in. */
  PATH: z.string().default(''),
});

export const settings = loadConfigOrExit(settingsSchema);

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
    .pipe(z.array(z.enum(['loads', 'rules', 'start-ups', 'attack', 'removals'])))
    .default(['loads', 'rules', 'start-ups', 'attack', 'removals']),
  /** A folder for CPU profiles of the edge. */
  PROFILE: z.string().optional(),
});

export const edgeSettings = loadConfigOrExit(edgeSchema);

export const originParts = ['loads', 'latency', 'websockets', 'large-bodies', 'hanging', 'changes'] as const;

/** Settings of the suite `origin`. */
export const originSchema = z.object({
  /** Rounds of each load; the servers alternate within a round. */
  BENCH_ORIGIN_ROUNDS: setting.integer().pipe(z.int().min(1)).default(5),
  /** Seconds that a load runs. */
  BENCH_ORIGIN_SECONDS: setting.integer().pipe(z.int().min(1)).default(1),
  /** Seconds that a load runs before it is measured. */
  BENCH_ORIGIN_WARM_UP: setting.integer().pipe(z.int().min(1)).default(4),
  /** WebSockets that are open at a time. */
  BENCH_ORIGIN_WEBSOCKETS: setting.integer().pipe(z.int().min(100)).default(5_000),
  /** Size of a large body. */
  BENCH_ORIGIN_BODY_MB: setting.integer().pipe(z.int().min(16)).default(1_024),
  /** Domains that share an application. */
  BENCH_ORIGIN_DOMAINS: setting.integer().pipe(z.int().min(1_000)).default(100_000),
  /** The parts to run. */
  BENCH_ORIGIN_PARTS: setting
    .list()
    .pipe(z.array(z.enum(originParts)))
    .default([...originParts]),
  /** A folder for CPU profiles of the edge and the floor. */
  PROFILE: z.string().optional(),
});

export const originSettings = loadConfigOrExit(originSchema);

export const rowsParts = ['statements', 'long-transaction', 'checks', 'throughput'] as const;

/** Settings of the suite `rows`. */
export const rowsSchema = z.object({
  /** Domains in the tables; a tenth of them first, for the growth. */
  BENCH_ROWS: setting.integer().pipe(z.int().min(100_000)).default(1_000_000),
  /** The parts to run. */
  BENCH_ROWS_PARTS: setting
    .list()
    .pipe(z.array(z.enum(rowsParts)))
    .default([...rowsParts]),
});

export const rowsSettings = loadConfigOrExit(rowsSchema);

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
