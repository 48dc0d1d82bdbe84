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

/** Numbers that look random and follow from a seed (mulberry32), so that a round can be played again. */
export interface Random {
  /** From `least` up to, and without, `most`. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least));
  return {
    between,
    pick: (items) => {
      const item = items[between(0, items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    shuffle: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}

/** One fault, tried once. */
export interface Round {
  readonly name: string;
  /** Faults that were seen; none when the round passed. */
  readonly seen: readonly string[];
  /** How much was lost, by the suite's own measure; null where it has none. */
  readonly lost: number | null;
  /** Number of things that were done more often than once; null where nothing is done once only. */
  readonly duplicated: number | null;
  /** From the moment the product was left to itself until all was well; null where there is nothing to recover from. */
  readonly recoveredMs: RecoveredMs | null;
  /** Anything else that a reader should know. */
  readonly remark?: string;
}

/** `never` stands for "not within the limit". */
export type RecoveredMs = number | 'never';
