import { describeRun } from './describe-run.js';
import { code, codeBlock, fillRegions, regionsOf, table } from './markdown.js';
import { describePlot, plotFigures } from './plot.js';
import type { BenchRecord, MeasuredFigure } from './record.js';

/** The region that tells of all suites. Every other region is named for its suite. */
const OVERVIEW = 'overview';

/**
 * Puts what was measured into docs/performance.md, whose prose is written by hand.
 * @throws Error for a record that the page has no region for
 */
export function renderPerformance(page: string, records: readonly BenchRecord[]): string {
  const suites = regionsOf(page).filter((name) => name !== OVERVIEW);
  const homeless = records.find(({ suite }) => !suites.includes(suite));
  if (homeless !== undefined) throw new Error(`docs/performance.md has no region for the suite ${homeless.suite}`);
  const recordOf = (suite: string) => records.find((record) => record.suite === suite);
  return fillRegions(page, (name) =>
    name === OVERVIEW ? renderOverview(suites, recordOf) : renderSuite(name, recordOf(name)),
  );
}

/** The plot of each suite that has one, by the suite's name. */
export function renderPlots(records: readonly BenchRecord[]): ReadonlyMap<string, string> {
  return new Map(
    records.flatMap(({ suite, figures }) => {
      const plot = plotFigures(suite, figures);
      return plot === null ? [] : [[suite, plot] as const];
    }),
  );
}

function renderOverview(suites: readonly string[], recordOf: (suite: string) => BenchRecord | undefined): string {
  const rows = suites.map((suite) => {
    const record = recordOf(suite);
    if (record === undefined) return [suite, 'not measured yet', '', ''];
    return [suite, verdictOf(record), code(record.commit?.id ?? ''), record.date];
  });
  return table([{ title: 'suite' }, { title: 'result' }, { title: 'commit' }, { title: 'date' }], rows);
}

function verdictOf({ figures, failed, settings, carriedOver }: BenchRecord): string {
  const missed = figures.filter(({ isMet }) => isMet === false).map(({ name }) => code(name));
  const met = figures.filter(({ isMet }) => isMet === true).length;
  const reservations = [
    ...(settings.length > 0 ? ['not with the default settings'] : []),
    ...(carriedOver === undefined ? [] : ['carried over']),
  ];
  return [
    ...(failed === undefined ? [] : ['**failed**']),
    ...(met > 0 ? [`${met} met`] : []),
    ...(missed.length > 0 ? [`**${missed.length} missed**: ${missed.join(', ')}`] : []),
    ...reservations,
  ].join('; ');
}

function renderSuite(suite: string, record: BenchRecord | undefined): string {
  if (record === undefined) return `Not measured yet: ${code(`npm run bench -- ${suite}`)} does it.`;
  const { figures, lines } = record;
  const hasPlot = plotFigures(suite, figures) !== null;
  return [
    describeRun(record),
    ...(figures.length > 0 ? [renderFigures(figures)] : []),
    ...(hasPlot ? [`![${describePlot(suite, figures)}](measured/${suite}.svg)`] : []),
    ...(lines.length > 0 ? [codeBlock(lines)] : []),
  ].join('\n\n');
}

function renderFigures(figures: readonly MeasuredFigure[]): string {
  return table(
    [{ title: 'figure' }, { title: 'ratio', isNumber: true }, { title: 'bar', isNumber: true }, { title: 'result' }],
    figures.map(({ name, ratio, bar, isMet }) => [
      name,
      ratio?.toFixed(2) ?? 'none',
      bar === null ? '' : String(Number(bar.toFixed(2))),
      isMet === null ? '' : isMet ? 'met' : '**missed**',
    ]),
  );
}
