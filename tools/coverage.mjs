/**
 * `npm run coverage`: what of the sources the tests run, written to `docs/coverage.md` by project; the lines themselves are
 * in `test-results/coverage/index.html`. It is told, not judged: there is no bar, and `npm test` does not ask for it.
 *
 * Counted is what runs inside of Jest. Of what system tests and the browser's stories run as programs of their own
 * nothing is seen, so that the figures are a lower end.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';

const root = resolve(import.meta.dirname, '..');
const summaryFile = join(root, 'test-results/coverage/coverage-summary.json');
const page = join(root, 'docs/coverage.md');
const LIMIT_MS = 60 * 60_000;
/** The tests made from the description of the API ask the same lines again and again. */
const FUZZ_CASES = '200';

const { status } = spawnSync(
  join(root, 'node_modules/.bin/jest'),
  ['--config', 'tools/jest-pool.config.mjs', '--coverage'],
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
  process.exitCode = 1; // a test that fails leaves lines unseen, so nothing is written
else await writePage();

async function writePage() {
  const summary = JSON.parse(readFileSync(summaryFile, 'utf8'));
  const projects = new Map();
  for (const [path, counts] of Object.entries(summary)) {
    const [kind, name] = relative(root, path).split('/');
    if (path === 'total' || (kind !== 'apps' && kind !== 'libs')) continue;
    const project = `${kind}/${name}`;
    projects.set(project, [...(projects.get(project) ?? []), counts]);
  }
  const rows = [...projects]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, files]) => rowOf(`\`${name}\``, files));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const text = `# Coverage

What the tests run of the sources inside of Jest, in percent: \`npm run coverage\`, which leaves the lines to browse in
\`test-results/coverage/index.html\`. Programs that tests start (whole services, the command, the dashboard in its browser)
are not counted, so that what stands here is a lower end. It is reported, not chased: whether tests would notice a mistake
is asked by [mutation.md](mutation.md).

Measured: ${new Date().toISOString().slice(0, 10)}; commit \`${commit}\`.

| project | files | lines | branches | functions |
| --- | ---: | ---: | ---: | ---: |
${[...rows, rowOf('all', [...projects.values()].flat())].join('\n')}
`;
  writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: 'markdown' }));
  process.stdout.write(text.slice(text.indexOf('| project')));
}

function rowOf(name, files) {
  const percent = (kind) => {
    const [covered, total] = ['covered', 'total'].map((part) => files.reduce((sum, each) => sum + each[kind][part], 0));
    return total === 0 ? '–' : ((covered / total) * 100).toFixed(1);
  };
  return `| ${name} | ${files.length} | ${percent('lines')} | ${percent('branches')} | ${percent('functions')} |`;
}
