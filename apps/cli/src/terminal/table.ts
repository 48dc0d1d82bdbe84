import { printable } from './format.js';

const COLUMN_GAP = '  ';

/**
 * Columns aligned below their headings, without trailing blanks. Empty without rows. Cells are never cut, because names,
 * records and ids are copied: in a narrow terminal their lines break at spaces, and where that does not help, each row
 * becomes a block with a line for each column.
 * @param width of the terminal; null where there is none, as in a pipe
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | null = null,
): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => headings.map((_heading, column) => printable(row[column] ?? '')));
  const all = [headings, ...cells];
  const natural = headings.map((_heading, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  if (width === null) return grid(all, natural);
  const least = headings.map((_heading, column) =>
    Math.max(...all.flatMap((row) => (row[column] ?? '').split(' ').map(widthOf))),
  );
  const available = width - COLUMN_GAP.length * (headings.length - 1);
  if (sum(least) > available) return blocks(headings, cells);
  return grid(all, tighten(all, shrink(natural, least, available)));
}

/** Takes from the widest column that can give, until the columns fit. */
function shrink(natural: readonly number[], least: readonly number[], available: number): readonly number[] {
  const widths = [...natural];
  for (let excess = sum(natural) - available; excess > 0; excess -= 1) {
    const giving = widths.flatMap((width, column) => (width > (least[column] ?? 0) ? [{ width, column }] : []));
    const widest = giving.reduce((most, each) => (each.width > most.width ? each : most));
    widths[widest.column] = widest.width - 1;
  }
  return widths;
}

/** The widths that are left when the lines are broken. */
function tighten(rows: readonly (readonly string[])[], widths: readonly number[]): readonly number[] {
  return widths.map((width, column) => Math.max(...rows.flatMap((row) => wrap(row[column] ?? '', width).map(widthOf))));
}

function grid(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  return rows.flatMap((row) => linesOf(row, widths)).join('\n');
}

/** A row, with as many lines as its longest cell needs. */
function linesOf(row: readonly string[], widths: readonly number[]): string[] {
  const columns = row.map((cell, column) => wrap(cell, widths[column] ?? 0));
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_line, index) =>
    columns
      .map((lines, column) => padEnd(lines[index] ?? '', widths[column] ?? 0))
      .join(COLUMN_GAP)
      .trimEnd(),
  );
}

/** Lines of at most the width, broken at spaces. */
function wrap(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The terminal may break long lines; what is copied has no line break. */
function blocks(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const labelWidth = Math.max(...headings.map(widthOf));
  return rows
    .map((row) =>
      headings
        .flatMap((heading, column) => {
          const cell = row[column] ?? '';
          return cell === '' ? [] : [`${padEnd(heading, labelWidth)}${COLUMN_GAP}${cell}`];
        })
        .join('\n'),
    )
    .join('\n\n');
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

const characters = new Intl.Segmenter();

/** Characters that a terminal shows in two cells (Unicode UAX #11). */
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6])/u;

function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return sum([...characters.segment(text)].map(({ segment }) => (wide.test(segment) ? 2 : 1)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
