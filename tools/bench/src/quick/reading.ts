import { z } from 'zod';
import { median, spread } from '../figure.js';
import { runRecord } from '../measured/record.js';

/** Something that is the same in every run of a build: statements, messages, system calls, for one operation. */
export interface Count {
  readonly kind: 'count';
  readonly name: string;
  readonly value: number;
}

/** The CPU time of one of our processes over the peer's for the same work, in pairs of runs. */
export interface Cost {
  readonly kind: 'cost';
  readonly name: string;
  /** The median of the pairs. */
  readonly ratio: number;
  /** The standard deviation of the pairs. */
  readonly spread: number;
}

/** A figure that this machine cannot give. */
interface Unmeasured {
  readonly kind: 'unmeasured';
  readonly name: string;
  readonly reason: string;
}

export type Reading = Count | Cost | Unmeasured;

/** Receives each reading when it is made. */
export type Report = (readings: readonly Reading[]) => Promise<void>;

export function describeReading(reading: Reading): string {
  const { kind, name } = reading;
  switch (kind) {
    case 'count':
      return `count ${name} ${describeCount(reading.value)}`;
    case 'cost':
      return `cpu ${name} ${describeCost(reading)}`;
    case 'unmeasured':
      return `not measured: ${name}: ${reading.reason}`;
  }
}

export function describeCount(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0);
}

export function describeCost({ ratio, spread }: Pick<Cost, 'ratio' | 'spread'>): string {
  return `${ratio.toFixed(2)} ± ${spread.toFixed(2)}`;
}

/** The record that `npm run bench -- quick` compares with: `docs/measured/quick.json`. */
export const quickRecord = z.strictObject({
  ...runRecord.shape,
  /** The reason why these figures became the record. */
  reason: z.string(),
  seconds: z.int(),
  counts: z.array(z.strictObject({ name: z.string(), value: z.number() })),
  costs: z.array(z.strictObject({ name: z.string(), ratio: z.number(), spread: z.number() })),
});

export type QuickRecord = z.infer<typeof quickRecord>;

/** CPU seconds for one unit of work, by process. */
export type CpuTimes = Readonly<Record<string, number>>;

/** The same work done by ours and by a peer, at the same time or one after the other. */
export interface Pair {
  readonly ours: CpuTimes;
  readonly peer: CpuTimes;
}

const PAIRS = 5;

/**
 * Measures pairs, after one that warms up. The cost of each of our processes is its CPU time over that of the peer's process
 * with the same name, or of all processes of the peer where none has it.
 */
export async function measurePairs(operation: string, measurePair: () => Promise<Pair>): Promise<readonly Reading[]> {
  await measurePair();
  const pairs: Pair[] = [];
  for (let pair = 0; pair < PAIRS; pair++) pairs.push(await measurePair());
  return costsOf(operation, pairs);
}

export function costsOf(operation: string, pairs: readonly Pair[]): readonly Reading[] {
  const names = Object.keys(pairs[0]?.ours ?? {});
  return names.map((name) => {
    const ratios = pairs.map(({ ours, peer }) => (ours[name] ?? Number.NaN) / (peer[name] ?? total(peer)));
    const figure = `${operation}/${name}`;
    if (!ratios.every(Number.isFinite)) return { kind: 'unmeasured', name: figure, reason: 'no CPU time to divide by' };
    return { kind: 'cost', name: figure, ratio: median(ratios), spread: spread(ratios) };
  });
}

function total(times: CpuTimes): number {
  return Object.values(times).reduce((sum, seconds) => sum + seconds, 0);
}
