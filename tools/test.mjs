/**
 * `npm test`: every check there is, one stage after the other, going on when one fails. The last line is the sum,
 * `N passed, N failed` (and `N skipped` where some were), and the exit code is 0 only when nothing failed.
 *
 * Tests are counted by `tools/count-reporter.mjs`; a lint, typecheck or build task that fails counts as one failure. Suites
 * that cannot run on this machine are named; under CI=true each of them is a failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const resultsFolder = join(root, 'test-results');
const skippedFolder = join(resultsFolder, 'skipped');
const isCi = process.env.CI === 'true' || process.env.CI === '1';

/** A stage that hangs must not hang the whole. */
const STAGE_LIMIT_MS = 30 * 60_000;

const stages = [
  { name: 'workspace', tool: 'nx', args: ['sync:check'], counts: 'tasks' },
  { name: 'format', tool: 'prettier', args: ['--check', '--log-level=warn', '.'], counts: 'tasks' },
  { name: 'nothing unused', tool: 'knip', args: [], counts: 'tasks' },
  // All projects in one process, which reads the declarations of what they use once: half the time of one each.
  { name: 'typecheck', tool: 'tsc', args: ['--build'], counts: 'tasks' },
  { name: 'lint, build', tool: 'nx', args: ['run-many', '-t', 'lint', 'build'], counts: 'tasks' },
  // All projects in one pool, so that no core waits for the longest of them. Three at a time keep two cores busy: tests
  // wait for servers for a third of their time.
  {
    name: 'tests',
    tool: 'jest',
    args: [
      ...['--projects', ...projectsWithTests(), '--maxWorkers=3'],
      `--testSequencer=${join(root, 'tools/longest-first.mjs')}`,
      ...['--reporters=default', `--reporters=${join(root, 'tools/count-reporter.mjs')}`],
    ],
    counts: 'tests',
  },
];

let running;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    running?.kill(signal);
    process.exitCode = 1;
  });
}

rmSync(resultsFolder, { recursive: true, force: true });
const failedTasks = [];
for (const stage of stages) {
  if (process.exitCode === 1) break; // interrupted
  process.stdout.write(`\n== ${stage.name}\n`);
  const { status, failed } = await run(stage);
  if (status === 0) continue;
  failedTasks.push(...(failed.length > 0 ? failed : [stage.name]).map((task) => ({ task, counts: stage.counts })));
}
report();

function report() {
  const counts = readCounts();
  const failedTests = counts.failed;
  for (const { task, counts: kind } of failedTasks) {
    // Failed tests are in the sum already; a stage that never got to its tests is not.
    if (kind === 'tests' && failedTests > 0) continue;
    counts.failed += 1;
    process.stdout.write(`failed: ${task}\n`);
  }
  const skippedSuites = readSkippedSuites();
  for (const suite of skippedSuites) process.stdout.write(`skipped: ${suite}${isCi ? ' (a failure in CI)' : ''}\n`);
  if (isCi) counts.failed += skippedSuites.length;
  if (counts.failed > 0) process.exitCode = 1;
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
}

/** Streams the output through, and picks the names of failed tasks out of it. */
function run({ tool, args }) {
  return new Promise((done) => {
    const child = spawn(join(root, 'node_modules/.bin', tool), args, {
      cwd: root,
      env: {
        ...process.env,
        PATH: [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter),
        NX_DAEMON: 'false',
        NX_TUI: 'false',
        // All code is ESM, which Jest runs by this.
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        PETS_TEST_RESULTS: resultsFolder,
        ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: STAGE_LIMIT_MS,
    });
    running = child;
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        process.stdout.write(chunk);
        text = (text + chunk).slice(-65_536); // Nx lists the failed tasks at its end
      });
    }
    child.once('error', (error) => {
      process.stdout.write(`${error.message}\n`);
      done({ status: 1, failed: [] });
    });
    child.once('close', (status) => done({ status: status ?? 1, failed: failedTasksIn(text) }));
  });
}

function failedTasksIn(text) {
  // eslint-disable-next-line no-control-regex -- colours
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, '');
  const list = plain.slice(plain.lastIndexOf('Failed tasks:'));
  return plain.includes('Failed tasks:') ? [...list.matchAll(/^\s*- (\S+:\S+)/gm)].map(([, task]) => task) : [];
}

function projectsWithTests() {
  const folders = ['apps', 'libs', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  return folders.filter((folder) => existsSync(join(root, folder, 'jest.config.js')));
}

function readCounts() {
  const file = join(resultsFolder, 'tests.json');
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0 };
  return JSON.parse(readFileSync(file, 'utf8'));
}

function readSkippedSuites() {
  if (!existsSync(skippedFolder)) return [];
  return readdirSync(skippedFolder)
    .sort()
    .map((name) => readFileSync(join(skippedFolder, name), 'utf8').trim());
}
