/** Markdown as Prettier would write it, so that a page that is made needs no formatting after. */

export interface Column {
  readonly title: string;
  readonly isNumber?: true;
}

export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = columns.map(({ title }, at) => Math.max(3, title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const padded = (texts: readonly string[]) =>
    line(
      columns.map(({ isNumber }, at) => {
        const [text, width] = [texts[at] ?? '', widths[at] ?? 0];
        return isNumber ? text.padStart(width) : text.padEnd(width);
      }),
    );
  const rule = columns.map(({ isNumber }, at) => {
    const width = widths[at] ?? 0;
    return isNumber ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width);
  });
  return [padded(columns.map(({ title }) => title)), line(rule), ...cells.map(padded)].join('\n');
}

/** In a fence that is longer than any in the text. */
export function codeBlock(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...lines.map((line) => line.trimEnd()), fence].join('\n');
}

/** Text of which Markdown is to make nothing. */
export function code(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim();
  return plain === '' ? '' : `\`${plain}\``;
}

/** The parts of a page that are made: each stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. */
const region = /^<!-- begin ([\w-]+) -->\n([^]*?)^<!-- end \1 -->$/gm;

/** The names of a page's regions, in order. */
export function regionsOf(page: string): string[] {
  return [...page.matchAll(region)].map(([, name = '']) => name);
}

/** Makes every region anew; what stands around them is written by hand and stays. */
export function fillRegions(page: string, make: (name: string) => string): string {
  return page.replaceAll(
    region,
    (_whole, name: string) => `<!-- begin ${name} -->\n\n${make(name).trim()}\n\n<!-- end ${name} -->`,
  );
}
