import type { Figure } from '../figure.js';
import type { MeasuredFigure } from './record.js';

/** Beyond this, digits are noise. */
const DIGITS = 4;

/** A bar of 0 is none. A ratio that is no number reaches nothing. */
export function evaluateFigure({ name, ratio, bar }: Figure): MeasuredFigure {
  return {
    name,
    ratio: Number.isFinite(ratio) ? rounded(ratio) : null,
    bar: bar > 0 ? rounded(bar) : null,
    isMet: bar > 0 ? ratio >= bar : null,
  };
}

/** The line of a figure, as it is printed. */
export function describeFigure({ name, ratio, bar, isMet }: MeasuredFigure): string {
  const missed = isMet === false ? `   missed: ${bar ?? 0} was to be reached` : '';
  return `ratio ${name} ${ratio?.toFixed(2) ?? 'NaN'}${missed}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(DIGITS));
}
