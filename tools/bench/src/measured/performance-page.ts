import { renderPage, table } from './page.js';
import type { BenchRecord } from './record.js';

/** docs/performance.md with the figures of the last run of each suite. */
export function renderPerformance(page: string, records: readonly BenchRecord[]): string {
  return renderPage(page, records, renderFigures);
}

function renderFigures({ figures }: BenchRecord): string {
  if (figures.length === 0) return '';
  return table(
    [{ title: 'figure' }, { title: 'ratio', isNumber: true }, { title: 'bar', isNumber: true }, { title: 'result' }],
    figures.map(({ name, ratio, bar, isMaximum, isMet }) => [
      name,
      ratio?.toFixed(2) ?? 'none',
      bar === null ? '' : `${isMaximum ? '≤ ' : ''}${Number(bar.toFixed(2))}`,
      isMet === null ? '' : isMet ? 'met' : '**missed**',
    ]),
  );
}
