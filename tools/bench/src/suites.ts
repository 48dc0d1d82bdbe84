import { parseArgs } from 'node:util';
import type { ProgramName } from './measured/record.js';

export interface SuiteFacts {
  /** A multiple of the time it takes on a slow machine. */
  readonly limitMinutes: number;
  /** Programs whose version matters to the figures. */
  readonly programs: readonly ProgramName[];
  /** Settings that change the run. */
  readonly settings: readonly string[];
  /** Settings of a short but complete run: two builds take turns with it. */
  readonly part: Readonly<Record<string, string>>;
}

/** In the order they are run. */
export const suites = {
  api: {
    limitMinutes: 30,
    programs: ['PostgreSQL'],
    settings: ['BENCH_API_ROUNDS'],
    part: { BENCH_API_ROUNDS: '1' },
  },
  engine: {
    limitMinutes: 45,
    programs: ['PostgreSQL', 'Redis'],
    settings: ['BENCH_DOMAINS', 'BENCH_STORES', 'PROFILE'],
    part: { BENCH_DOMAINS: '5000' },
  },
  fair: {
    limitMinutes: 60,
    programs: ['PostgreSQL', 'Redis', 'Pebble'],
    settings: ['BENCH_FLOOD', 'BENCH_ATTACKS', 'PROFILE'],
    part: { BENCH_FLOOD: '20000' },
  },
  bulk: {
    limitMinutes: 60,
    programs: ['PostgreSQL', 'Redis'],
    settings: ['BENCH_BULK_ROWS', 'PROFILE'],
    part: { BENCH_BULK_ROWS: '5000' },
  },
  certificates: {
    limitMinutes: 30,
    programs: ['PostgreSQL', 'Redis', 'Pebble'],
    settings: ['BENCH_CERTIFICATES', 'BENCH_CERTIFICATES_AT_ONCE', 'PROFILE'],
    part: { BENCH_CERTIFICATES: '20', BENCH_CERTIFICATES_AT_ONCE: '100' },
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
      'BENCH_EDGE_WARM_UP',
      'PROFILE',
    ],
    part: {
      ...{ BENCH_EDGE_PARTS: 'loads', BENCH_EDGE_NAMES: '2000', BENCH_EDGE_START_UPS: '1000' },
      ...{ BENCH_EDGE_ROUNDS: '2', BENCH_EDGE_WARM_UP: '4' },
    },
  },
  origin: {
    limitMinutes: 30,
    programs: ['Caddy', 'nginx'],
    settings: [
      'BENCH_ORIGIN_ROUNDS',
      'BENCH_ORIGIN_SECONDS',
      'BENCH_ORIGIN_WARM_UP',
      'BENCH_ORIGIN_WEBSOCKETS',
      'BENCH_ORIGIN_BODY_MB',
      'BENCH_ORIGIN_DOMAINS',
      'BENCH_ORIGIN_PARTS',
      'PROFILE',
    ],
    part: { BENCH_ORIGIN_PARTS: 'loads', BENCH_ORIGIN_ROUNDS: '3' },
  },
  scale: {
    limitMinutes: 60,
    programs: ['PostgreSQL'],
    settings: ['BENCH_NAMES', 'BENCH_SCALE_PARTS', 'PROFILE'],
    part: { BENCH_NAMES: '100000', BENCH_SCALE_PARTS: 'edge,memory,certificates' },
  },
  rows: {
    limitMinutes: 90,
    programs: ['PostgreSQL', 'Redis'],
    settings: ['BENCH_ROWS', 'BENCH_ROWS_PARTS'],
    part: { BENCH_ROWS: '100000', BENCH_ROWS_PARTS: 'statements,checks' },
  },
  events: {
    limitMinutes: 20,
    programs: ['PostgreSQL', 'Redis'],
    settings: ['BENCH_STREAMS', 'PROFILE'],
    part: { BENCH_STREAMS: '200' },
  },
  dashboard: { limitMinutes: 20, programs: ['PostgreSQL'], settings: [], part: {} },
  dev: { limitMinutes: 20, programs: ['PostgreSQL'], settings: [], part: {} },
} as const satisfies Record<string, SuiteFacts>;

export type SuiteName = keyof typeof suites;

export const suiteNames = Object.keys(suites) as SuiteName[]; // its own keys

function isSuite(name: string): name is SuiteName {
  return Object.hasOwn(suites, name);
}

export const programsOfSuites: readonly ProgramName[] = [
  ...new Set(suiteNames.flatMap((name): readonly ProgramName[] => suites[name].programs)),
];

/** A command that `npm run bench` does not know. The message says what it knows. */
export class UsageError extends Error {}

interface Arguments {
  /** All suites when it is missing. */
  readonly suite?: SuiteName | 'quick' | undefined;
  /** A commit whose build takes turns with this one. */
  readonly against?: string | undefined;
  /** The reason why this run of the quick benchmark becomes its record. */
  readonly record?: string | undefined;
}

const usage = `usage: npm run bench -- [SUITE [--against COMMIT] | quick [--record REASON]]; suites: ${suiteNames.join(', ')}`;
const options = { against: { type: 'string' }, record: { type: 'string' } } as const;

/** @throws UsageError */
export function readArguments(args: readonly string[]): Arguments {
  const { positionals, values } = parse(args);
  const [suite, ...rest] = positionals;
  const isQuick = suite === 'quick';
  const isKnown = suite === undefined || isQuick || isSuite(suite);
  const mayRecord = isQuick && values.record?.trim() !== '';
  const mayCompare = suite !== undefined && !isQuick;
  if (!isKnown || rest.length > 0) throw new UsageError(usage);
  if ((values.record !== undefined && !mayRecord) || (values.against !== undefined && !mayCompare)) {
    throw new UsageError(usage);
  }
  return { suite, ...values };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}
