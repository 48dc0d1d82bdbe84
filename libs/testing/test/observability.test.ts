import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isInstalled } from '../src/processes/service-process.js';
import {
  alertExpressions,
  dashboardExpressions,
  metricsIn,
  OBSERVABILITY_FOLDER,
  type Expression,
} from '../src/observability.js';
import { describeWhen } from '../src/skipped-suites.js';

/**
 * Each belongs to one app, whose tests look for the metrics at what it really exports; `up` is Prometheus' own, and the kubelet
 * and node_exporter export those of volumes and disks, kube-state-metrics those of replicas, the black-box exporter those of
 * probes.
 */
const prefixes =
  /^(?:pets_|http_server_|worker_|edge_|process_|nodejs_|kubelet_volume_stats_|node_filesystem_|kube_|probe_|up$)/;

const OPERATIONS = resolve(OBSERVABILITY_FOLDER, '../../../docs/operations');

describe('the dashboard and the alerts', () => {
  it('are read to the last expression', () => {
    const alerts = readFileSync(join(OBSERVABILITY_FOLDER, 'alerts.yml'), 'utf8').match(/- alert:/g);
    expect(alertExpressions()).toHaveLength(alerts?.length ?? 0);
    expect(dashboardExpressions().length).toBeGreaterThan(30);
  });

  it.each([...alertExpressions(), ...dashboardExpressions()])('ask for metrics of ours: $of', ({ promQl }) => {
    const names = metricsIn(promQl);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name).toMatch(prefixes);
  });

  it('have a test of each alert that fires', () => {
    const tests = alertTests().map((name) => readFileSync(join(OBSERVABILITY_FOLDER, name), 'utf8'));
    const fires = (alert: string) => new RegExp(`alertname: ${alert}\\n +exp_alerts:\\n +- exp_labels`);
    expect(alertExpressions().filter(({ of }) => !tests.some((text) => fires(of).test(text)))).toEqual([]);
  });

  it('have steps for each alert in docs/operations/runbooks, and for no other', () => {
    const alerts = alertExpressions().map(({ of }) => of);
    expect(
      runbooks()
        .map(({ heading }) => heading)
        .toSorted(),
    ).toEqual(alerts.toSorted());
  });

  it('name the steps of each alert in its `runbook_url`', () => {
    const text = readFileSync(join(OBSERVABILITY_FOLDER, 'alerts.yml'), 'utf8');
    const named = [...text.matchAll(/- alert: (\w+)\n(?:(?! *- alert:).*\n)*? +runbook_url: '(.+)'\n/g)];
    const expected = runbooks().map(
      ({ heading, page }) => `${heading} docs/operations/runbooks/${page}#${heading.toLowerCase()}`,
    );
    expect(named.map(([, alert, url]) => `${alert} ${url}`).toSorted()).toEqual(expected.toSorted());
  });

  it.each(runbooks())('say how to know that the steps of $heading worked', ({ steps }) => {
    expect(steps).toContain('It worked when');
  });

  it.each(sectionsOf(join(OPERATIONS, 'outages.md')))('say the same of the outage: $heading', ({ steps }) => {
    expect(steps.replaceAll(/\s+/g, ' ')).toContain('It worked when');
  });
});

function alertTests(): string[] {
  return readdirSync(OBSERVABILITY_FOLDER).filter((name) => name.endsWith('.test.yml'));
}

interface Section {
  /** Name of its file. */
  readonly page: string;
  readonly heading: string;
  readonly steps: string;
}

/** The sections of the pages of runbooks; the index has none. */
function runbooks(): readonly Section[] {
  const folder = join(OPERATIONS, 'runbooks');
  const pages = readdirSync(folder).filter((name) => name !== 'README.md');
  return pages.flatMap((page) => sectionsOf(join(folder, page)));
}

function sectionsOf(page: string): readonly Section[] {
  const sections = readFileSync(page, 'utf8').split(/^## /m).slice(1);
  return sections.map((text) => {
    const [heading = '', ...steps] = text.split('\n');
    return { page: basename(page), heading, steps: steps.join('\n') };
  });
}

const missing = isInstalled('promtool') ? null : 'promtool is not installed';

describeWhen(describe, 'what Prometheus makes of the dashboard and the alerts', missing, () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'pets-promtool-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const promtool = (...args: string[]) =>
    execFileSync('promtool', args, { cwd: OBSERVABILITY_FOLDER, encoding: 'utf8', timeout: 240_000, stdio: 'pipe' });

  it('the alerts are rules', () => expect(promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS'));

  it.each(alertTests())('the alerts fire when they should, and not before: %s', (file) =>
    expect(promtool('test', 'rules', file)).toContain('SUCCESS'),
  );

  it('the expressions of the dashboard are PromQL', () => {
    const path = join(folder, 'dashboard.yml');
    writeFileSync(path, asRules(dashboardExpressions()));
    expect(promtool('check', 'rules', path)).toContain('SUCCESS');
  });

  it('what is no PromQL is found', () => {
    const path = join(folder, 'broken.yml');
    writeFileSync(path, asRules([{ of: 'broken', promQl: 'sum by ca (up)' }]));
    expect(() => promtool('check', 'rules', path)).toThrow();
  });
});

/** JSON is YAML. Grafana puts a duration and a pattern in the place of its variables. */
function asRules(expressions: readonly Expression[]): string {
  const rules = expressions.map(({ promQl }, index) => ({
    record: `panel_${index}`,
    expr: promQl.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.*'),
  }));
  return JSON.stringify({ groups: [{ name: 'dashboard', rules }] });
}
