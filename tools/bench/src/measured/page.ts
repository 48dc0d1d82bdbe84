import type { SuiteRecord, RunRecord } from './record.js';

/** The generated parts of a page, in Markdown as Prettier writes it. Each is between `<!-- begin NAME -->` and `<!-- end NAME -->`. */
const region = /^<!-- begin ([\w-]+) -->\n([^]*?)^<!-- end \1 -->$/gm;

/**
 * Fills the regions of a page; the text around them is written by hand and stays.
 * @throws Error for content that the page has no region for
 */
export function renderRegions(page: string, contents: ReadonlyMap<string, string>): string {
  const regions = new Set([...page.matchAll(region)].map(([, name]) => name));
  const homeless = [...contents.keys()].find((name) => !regions.has(name));
  if (homeless !== undefined) throw new Error(`the page has no region for ${homeless}`);
  return page.replaceAll(
    region,
    (_region, name: string) =>
      `<!-- begin ${name} -->\n\n${contents.get(name) ?? 'Not run yet.'}\n\n<!-- end ${name} -->`,
  );
}

/** When, where and how something was measured, and of which commit. */
export function describeRun(
  { date, commit, machine }: RunRecord,
  { command, seconds }: Pick<SuiteRecord, 'command' | 'seconds'>,
): string {
  const { processor, processors, memoryGb, system, programs } = machine;
  const changes = commit?.isDirty ? ' with uncommitted changes' : '';
  const how = [
    commit === undefined ? date : `${date} at ${code(commit.id)}${changes}`,
    `${code(command)}, ${seconds} s`,
    `${processor}, ${processors} ${processors === 1 ? 'core' : 'cores'}, ${memoryGb} GB, ${system}`,
    ...(programs.length > 0 ? [programs.map(({ name, version }) => `${name} ${version}`).join(', ')] : []),
  ];
  return `${how.join('; ')}.`;
}

/** The reason why a suite did not complete; empty where it did. */
export function describeFailure({ suite, failed }: Pick<SuiteRecord, 'suite' | 'failed'>): string {
  return failed === undefined ? '' : `**The suite ${suite} failed**: ${code(failed)}.`;
}

/** The content of a region: its parts that are not empty. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

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

/** Text that Markdown must not interpret. */
export function code(text: string): string {
  return `\`${text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim()}\``;
}
