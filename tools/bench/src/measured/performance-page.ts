import type { QuickRecord } from '../quick/reading.js';
import type { BenchRecord, MeasuredSuite } from './record.js';
import { code, describeFailure, describeRun, paragraphs, renderRegions, table } from './page.js';

export interface PerformanceRecords {
  readonly bench: BenchRecord | null;
  readonly quick: QuickRecord | null;
}

/** docs/performance.md with the figures of the last run of all suites, and those of the quick benchmark. */
export function renderPerformance(page: string, { bench, quick }: PerformanceRecords): string {
  return renderRegions(
    page,
    new Map([...(bench === null ? [] : renderBench(bench)), ...(quick === null ? [] : [renderQuick(quick)])]),
  );
}

function renderBench(record: BenchRecord): (readonly [name: string, content: string])[] {
  const { suites } = record;
  const seconds = suites.reduce((sum, suite) => sum + suite.seconds, 0);
  const missed = suites.flatMap(({ figures }) => figures.filter(({ isMet }) => isMet === false));
  const misses = missed.map(({ name, ratio, bar, isMaximum }) => [name, shown(ratio), shownBar(bar, isMaximum)]);
  const summary =
    misses.length === 0
      ? 'Every bar was met.'
      : paragraphs(
          'Bars that were missed:',
          table([{ title: 'figure' }, { title: 'value', isNumber: true }, { title: 'bar', isNumber: true }], misses),
        );
  const run = paragraphs(
    describeRun(record, { command: 'npm run bench', seconds }),
    ...suites.map(describeFailure),
    summary,
  );
  return [['run', run], ...suites.map((suite) => [suite.suite, renderSuite(suite)] as const)];
}

function renderSuite(suite: MeasuredSuite): string {
  const { command, seconds, figures } = suite;
  return paragraphs(
    `${code(command)}, ${seconds} s.`,
    describeFailure(suite),
    figures.length === 0 ? '' : renderFigures(figures),
  );
}

function renderFigures(figures: MeasuredSuite['figures']): string {
  return table(
    [{ title: 'figure' }, { title: 'value', isNumber: true }, { title: 'bar', isNumber: true }, { title: 'result' }],
    figures.map(({ name, ratio, bar, isMaximum, isMet }) => [
      name,
      shown(ratio),
      shownBar(bar, isMaximum),
      isMet === null ? '' : isMet ? 'met' : '**missed**',
    ]),
  );
}

function renderQuick(record: QuickRecord): readonly [name: string, content: string] {
  const { counts, costs, reason, seconds } = record;
  const columns = (title: string) => [{ title }, { title: 'value', isNumber: true }] as const;
  return [
    'quick',
    paragraphs(
      describeRun(record, { command: `npm run bench -- quick --record "${reason}"`, seconds }),
      table(
        columns('count'),
        counts.map(({ name, value }) => [name, value.toFixed(value < 100 ? 2 : 0)]),
      ),
      table(
        columns('CPU time over the peer’s'),
        costs.map(({ name, ratio, spread }) => [name, `${ratio.toFixed(2)} ± ${spread.toFixed(2)}`]),
      ),
    ),
  ];
}

function shown(ratio: number | null): string {
  return ratio?.toFixed(2) ?? 'none';
}

function shownBar(bar: number | null, isMaximum: true | undefined): string {
  return bar === null ? '' : `${isMaximum ? '≤ ' : ''}${Number(bar.toFixed(2))}`;
}
