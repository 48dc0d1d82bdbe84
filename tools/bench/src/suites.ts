import type { ProgramName } from './measured/machine.js';

export interface SuiteFacts {
  /** A multiple of the time it takes on a slow machine. */
  readonly limitMinutes: number;
  /** Programs whose version matters to the figures. */
  readonly programs: readonly ProgramName[];
  /** Settings that change the run. */
  readonly settings: readonly string[];
}

/** In the order they are run. */
export const suites = {
  api: { limitMinutes: 30, programs: ['PostgreSQL'], settings: [] },
  engine: {
    limitMinutes: 45,
    programs: ['PostgreSQL', 'Redis'],
    settings: ['BENCH_DOMAINS', 'BENCH_STORES', 'PROFILE'],
  },
  fair: { limitMinutes: 30, programs: ['PostgreSQL', 'Redis'], settings: ['BENCH_FLOOD', 'PROFILE'] },
  bulk: { limitMinutes: 60, programs: ['PostgreSQL', 'Redis'], settings: ['BENCH_BULK_ROWS', 'PROFILE'] },
  certificates: {
    limitMinutes: 30,
    programs: ['PostgreSQL', 'Redis', 'Pebble'],
    settings: ['BENCH_CERTIFICATES', 'BENCH_CERTIFICATES_AT_ONCE', 'PROFILE'],
  },
  edge: {
    limitMinutes: 90,
    programs: ['PostgreSQL', 'Redis', 'Caddy', 'nginx', 'Pebble'],
    settings: [
      'BENCH_EDGE_NAMES',
      'BENCH_EDGE_START_UPS',
      'BENCH_EDGE_ROUNDS',
      'BENCH_EDGE_SECONDS',
      'BENCH_EDGE_REMOVALS',
      'BENCH_EDGE_UNKNOWN_NAMES',
      'BENCH_EDGE_PARTS',
      'PROFILE',
    ],
  },
  scale: {
    limitMinutes: 60,
    programs: ['PostgreSQL'],
    settings: ['BENCH_NAMES', 'BENCH_SCALE_PARTS', 'PROFILE'],
  },
  rows: {
    limitMinutes: 90,
    programs: ['PostgreSQL', 'Redis'],
    settings: ['BENCH_ROWS', 'BENCH_ROWS_PARTS'],
  },
  events: { limitMinutes: 20, programs: ['PostgreSQL', 'Redis'], settings: ['BENCH_STREAMS', 'PROFILE'] },
  dashboard: { limitMinutes: 20, programs: ['PostgreSQL'], settings: [] },
  dev: { limitMinutes: 20, programs: ['PostgreSQL'], settings: [] },
} as const satisfies Record<string, SuiteFacts>;

export type SuiteName = keyof typeof suites;

export const suiteNames = Object.keys(suites) as SuiteName[]; // its own keys
