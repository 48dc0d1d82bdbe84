import type { ProgramName } from './measured/circumstances.js';

export interface SuiteFacts {
  /** A multiple of what it takes on a slow machine. */
  readonly limitMinutes: number;
  /** Whose version says something about the figures. */
  readonly programs: readonly ProgramName[];
}

/** In the order they are run. */
export const suites = {
  api: { limitMinutes: 30, programs: ['PostgreSQL'] },
  engine: { limitMinutes: 45, programs: ['PostgreSQL', 'Redis'] },
  certificates: { limitMinutes: 30, programs: ['PostgreSQL', 'Redis', 'Pebble'] },
  edge: { limitMinutes: 90, programs: ['PostgreSQL', 'Redis', 'Caddy', 'nginx', 'Pebble'] },
  events: { limitMinutes: 20, programs: ['PostgreSQL', 'Redis'] },
} as const satisfies Record<string, SuiteFacts>;

export type SuiteName = keyof typeof suites;

export const suiteNames = Object.keys(suites) as SuiteName[]; // its own keys
