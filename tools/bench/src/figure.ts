/** Ours over theirs, and the bar to reach; a bar of 0 is none. */
export interface Figure {
  readonly name: string;
  readonly ratio: number;
  readonly bar: number;
  /** The ratio must not exceed the bar. The name ends with the unit of a figure that is no ratio. */
  readonly isMaximum?: true;
}

/** A figure as its record keeps it. */
export interface MeasuredFigure {
  readonly name: string;
  /** null where there was nothing to divide. */
  readonly ratio: number | null;
  readonly bar: number | null;
  readonly isMaximum?: true | undefined;
  /** null where there is no bar. */
  readonly isMet: boolean | null;
}

/** Beyond this, digits are noise. */
const DIGITS = 4;
const SHOWN_DIGITS = 3;

/** A ratio that is no number reaches no bar. */
export function evaluateFigure({ name, ratio, bar, isMaximum }: Figure): MeasuredFigure {
  const isMet = isMaximum ? ratio <= bar : ratio >= bar;
  return {
    name,
    ratio: Number.isFinite(ratio) ? rounded(ratio) : null,
    bar: bar > 0 ? rounded(bar) : null,
    ...(isMaximum && { isMaximum }),
    isMet: bar > 0 ? isMet : null,
  };
}

/** The line that is printed. */
export function describeFigure({ name, ratio, bar, isMaximum, isMet }: MeasuredFigure): string {
  const missed = `   missed: the bar is ${isMaximum ? 'at most ' : ''}${bar ?? 0}`;
  return `ratio ${name} ${ratio === null ? 'NaN' : describeRatio(ratio)}${isMet === false ? missed : ''}`;
}

/** Formats with at least three digits, so that two builds can be compared by what they print. */
export function describeRatio(ratio: number): string {
  return ratio < 1 ? ratio.toPrecision(SHOWN_DIGITS) : ratio.toFixed(SHOWN_DIGITS - 1);
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

/** The sample standard deviation; 0 for a single value. */
export function spread(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / Math.max(values.length - 1, 1));
}

function rounded(value: number): number {
  return Number(value.toFixed(DIGITS));
}
