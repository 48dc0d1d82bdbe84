/** Ours over theirs, and what is to be reached. */
export interface Figure {
  readonly name: string;
  readonly ratio: number;
  readonly bar: number;
}

/** The nearest-rank quantile: the least value that a share `q` of all does not exceed. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(q * sorted.length) - 1, 0)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
