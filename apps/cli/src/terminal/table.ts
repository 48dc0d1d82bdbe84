import { printable } from './printable.js';

const GAP = '  ';

/** Aligned columns below their headings, without a blank at the end of a line. Nothing for no rows. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_heading, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** In characters as they are counted by people, near enough. */
function widthOf(text: string): number {
  return [...text].length;
}
