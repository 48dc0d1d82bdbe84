/** Ours over theirs, and what is to be reached. */
export interface Figure {
  readonly name: string;
  readonly ratio: number;
  readonly bar: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
