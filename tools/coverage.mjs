/**
 * `npm run coverage`: what of the sources the tests run, printed by project; the lines themselves are in
 * `test-results/coverage/index.html`. There is no bar, and `npm test` does not run it.
 *
 * Only code that runs inside Jest is counted. System tests and browser tests run programs of their own, so the figures are
 * a lower bound.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const summaryFile = join(root, 'test-results/coverage/coverage-summary.json');
const LIMIT_MS = 60 * 60_000;
/** The tests made from the description of the API ask the same lines again and again. */
const FUZZ_CASES = '200';

const { status } = spawnSync(
  join(root, 'node_modules/.bin/jest'),
  ['--config', 'tools/jest-coverage.config.mjs', '--coverage'],
  {
    cwd: root,
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter),
      NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      FUZZ_CASES,
    },
    stdio: 'inherit',
    timeout: LIMIT_MS,
  },
);
if (status !== 0)
  process.exitCode = 1; // a test that fails leaves lines unseen
else printCoverage();

function printCoverage() {
  const projects = new Map();
  for (const [path, counts] of Object.entries(JSON.parse(readFileSync(summaryFile, 'utf8')))) {
    if (path === 'total') continue;
    const project = relative(root, path).split('/').slice(0, 2).join('/');
    projects.set(project, [...(projects.get(project) ?? []), counts]);
  }
  const rows = [...projects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, files]) => rowOf(name, files));
  const head = ['', 'project', 'files', 'lines %', 'branches %', 'functions %', ''].join(' | ').trim();
  const text = [head, '| --- | ---: | ---: | ---: | ---: |', ...rows, rowOf('all', [...projects.values()].flat())];
  process.stdout.write(`\n${text.join('\n')}\n`);
}

function rowOf(name, files) {
  const percent = (kind) => {
    const [covered, total] = ['covered', 'total'].map((part) => files.reduce((sum, each) => sum + each[kind][part], 0));
    return total === 0 ? '–' : ((covered / total) * 100).toFixed(1);
  };
  return `| ${name} | ${files.length} | ${percent('lines')} | ${percent('branches')} | ${percent('functions')} |`;
}
