import type { ProgramName } from '@pets/bench/measured';

export interface ChaosOptions {
  readonly seed: number;
  /** How often each fault is tried; those that last long a fifth as often. */
  readonly rounds: number;
  /** Only this fault. */
  readonly only: string | undefined;
  /** How long visitors come after a name was switched. */
  readonly cutoverSeconds: number;
}

/** The suites, in the order they are played in, and whose versions say something about them. */
export const suites = {
  engine: { programs: ['PostgreSQL', 'Redis'] },
  certificates: { programs: ['PostgreSQL', 'Redis', 'Pebble'] },
  edge: { programs: ['PostgreSQL', 'Redis', 'Pebble'] },
  'slow-readers': { programs: [] },
  cutover: { programs: ['PostgreSQL', 'Redis', 'Pebble'] },
} as const satisfies Record<string, { readonly programs: readonly ProgramName[] }>;

export type SuiteName = keyof typeof suites;

export const suiteNames = Object.keys(suites) as SuiteName[]; // its own keys
