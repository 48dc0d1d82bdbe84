import type { RunRecord } from './record.js';

/** The generated parts of a page, in Markdown as Prettier writes it. Each is between `<!-- begin NAME -->` and `<!-- end NAME -->`. */
const region = /^<!-- begin ([\w-]+) -->\n([^]*?)^<!-- end \1 -->$/gm;

/**
 * Fills the region of each suite from its record; the text around the regions is written by hand and stays.
 * @throws Error for a record that the page has no region for
 */
export function renderPage<Record extends RunRecord>(
  page: string,
  records: readonly Record[],
  renderTable: (record: Record) => string,
): string {
  const regions = [...page.matchAll(region)].map(([, name]) => name);
  const homeless = records.find(({ suite }) => !regions.includes(suite));
  if (homeless !== undefined) throw new Error(`the page has no region for the suite ${homeless.suite}`);
  return page.replaceAll(region, (_region, name: string) => {
    const record = records.find(({ suite }) => suite === name);
    const parts = record === undefined ? ['Not run yet.'] : [describeRun(record), renderTable(record)];
    return `<!-- begin ${name} -->\n\n${parts.filter((part) => part !== '').join('\n\n')}\n\n<!-- end ${name} -->`;
  });
}

/** When, where and how a suite was run, and why it did not complete. */
function describeRun({ suite, command, date, commit, seconds, machine, failed }: RunRecord): string {
  const { processor, processors, memoryGb, system, programs } = machine;
  const changes = commit?.isDirty ? ' with uncommitted changes' : '';
  const how = [
    ...(commit === undefined ? [date] : [`${date} at ${code(commit.id)}${changes}`]),
    `${code(command)}${seconds === undefined ? '' : `, ${seconds} s`}`,
    `${processor}, ${processors} ${processors === 1 ? 'core' : 'cores'}, ${memoryGb} GB, ${system}`,
    ...(programs.length > 0 ? [programs.map(({ name, version }) => `${name} ${version}`).join(', ')] : []),
  ];
  const failure = failed === undefined ? [] : [`**The suite ${suite} failed**: ${code(failed)}.`];
  return [`${how.join('; ')}.`, ...failure].join('\n\n');
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
function code(text: string): string {
  return `\`${text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim()}\``;
}
