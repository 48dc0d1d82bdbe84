import { padEnd, printable, widthOf, wrap } from './format.js';

const COLUMN_GAP = '  ';

/**
 * Columns aligned below their headings, without trailing blanks. Empty without rows. Cells are never cut, because names,
 * records and ids are copied. Where a terminal is too narrow, lines break at spaces. If that does not help, the long column
 * moves below the other cells of its row, and at last each row becomes a block with a line for each column.
 * @param width of the terminal; null where there is none, as in a pipe
 * @param long heading of the column whose cells may be long and have no spaces
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | null = null,
  long?: string,
): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => headings.map((_heading, column) => printable(row[column] ?? '')));
  const all = [headings, ...cells];
  const widths = width === null ? naturalWidths(all) : fittingWidths(all, width);
  if (widths !== null) return grid(all, widths);
  return (long === undefined ? null : folded(all, headings.indexOf(long), width ?? 0)) ?? blocks(headings, cells);
}

/** The rows, each followed by its cell of one column. Null where the other columns do not fit either. */
function folded(rows: readonly (readonly string[])[], long: number, width: number): string | null {
  const others = rows.map((row) => row.filter((_cell, column) => column !== long));
  const widths = fittingWidths(others, width);
  if (widths === null) return null;
  const longest = Math.max(...rows.map((row) => widthOf(row[long] ?? '')));
  const indent = Math.max(0, Math.min((widths[0] ?? 0) + COLUMN_GAP.length, width - longest));
  return others
    .flatMap((row, index) => {
      const cell = rows[index]?.[long] ?? '';
      return [...linesOf(row, widths), ...(cell === '' ? [] : [' '.repeat(indent) + cell])];
    })
    .join('\n');
}

function naturalWidths(rows: readonly (readonly string[])[]): readonly number[] {
  return columnsOf(rows).map((cells) => Math.max(...cells.map(widthOf)));
}

/** The widths of columns that fit together when lines break at spaces. Null where they do not. */
function fittingWidths(rows: readonly (readonly string[])[], width: number): readonly number[] | null {
  const least = columnsOf(rows).map((cells) => Math.max(...cells.flatMap((cell) => cell.split(' ').map(widthOf))));
  const available = width - COLUMN_GAP.length * (least.length - 1);
  return sum(least) > available ? null : tighten(rows, shrink(naturalWidths(rows), least, available));
}

function columnsOf(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return (rows[0] ?? []).map((_cell, column) => rows.map((row) => row[column] ?? ''));
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
