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
