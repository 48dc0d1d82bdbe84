const COLUMN_GAP = '  ';

/** Columns aligned below their headings, without trailing blanks. Empty without rows. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_heading, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join(COLUMN_GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** In code points, which approximates the width in a terminal. */
function widthOf(text: string): number {
  return [...text].length;
}

/** Escapes control characters and bidirectional overrides in text from outside, so that it cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `1 key`, `2 keys` */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
