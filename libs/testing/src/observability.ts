import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder with Grafana's dashboard and Prometheus' alert rules, from which the Helm chart reads them. */
export const OBSERVABILITY_FOLDER = resolve(import.meta.dirname, '../../../deploy/helm/files');

/** An expression of the dashboard or of an alert, unchanged. */
export interface Expression {
  /** Title of the panel, or name of the alert. */
  readonly of: string;
  readonly promQl: string;
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

export function dashboardExpressions(): Expression[] {
  const dashboard = JSON.parse(
    readFileSync(join(OBSERVABILITY_FOLDER, 'dashboards/grafana-dashboard.json'), 'utf8'),
  ) as Dashboard;
  return dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ of: title, promQl: expr })),
  );
}

/** Parses only the layout of our file: `alert:` first, then `expr:` on one line or as a block. */
export function alertExpressions(): Expression[] {
  const text = readFileSync(join(OBSERVABILITY_FOLDER, 'alerts.yml'), 'utf8').replaceAll(/^ *#.*\n/gm, '');
  const alerts = text.matchAll(/^ +- alert: (\w+)\n +expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gm);
  return [...alerts].map(([, of = '', block, line]) => ({ of, promQl: block ?? line ?? '' }));
}

/** The metrics with these prefixes that the dashboard and the alerts use. */
export function observedMetrics(...prefixes: readonly string[]): string[] {
  const names = [...dashboardExpressions(), ...alertExpressions()].flatMap(({ promQl }) => metricsIn(promQl));
  return [...new Set(names)].filter((name) => prefixes.some((prefix) => name.startsWith(prefix))).sort();
}

const words: ReadonlySet<string> = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'bool',
  'offset',
]);

/** The metrics in an expression: its names that are no function, no word of the language, no text, and no label. */
export function metricsIn(promQl: string): string[] {
  const bare = promQl
    .replaceAll(/\{[^{}]*\}/g, '')
    .replaceAll(/\[[^[\]]*\]/g, '')
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const names = bare.matchAll(/(?<![\w.:])([a-zA-Z_:][\w:]*)\b(?!\s*\()/g);
  return [...names].map(([, name = '']) => name).filter((name) => !words.has(name));
}
