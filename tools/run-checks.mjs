/**
 * Runs the checks of `npm test` or `npm run interop`, going on when one fails. The last line is the sum,
 * `N passed, N failed` (and `N skipped` where some were), and the exit code is 0 only when nothing failed. The sum is also
 * in `test-results/sums`, for `tools/sum-results.mjs`, with the time that each stage and each test file took.
 *
 * Tests are counted by `tools/count-reporter.mjs`; a lint, typecheck or build task that fails counts as one failure. Suites
 * that cannot run on this machine are named; under CI=true each of them is a failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describeTimings, endedChildrenSeconds } from './timings.mjs';

const root = resolve(import.meta.dirname, '..');
const resultsFolder = join(root, 'test-results');
const countsFile = join(resultsFolder, 'tests.json');
const skippedFolder = join(resultsFolder, 'skipped');
const sumsFolder = join(resultsFolder, 'sums');
const isCi = process.env.CI === 'true' || process.env.CI === '1';

/** A stage that hangs must not hang the whole. */
const STAGE_LIMIT_MS = 60 * 60_000;

const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    process.exitCode = 1;
  });
}

const failedTasks = [];
const stagesDone = [];
let countedCpuSeconds = endedChildrenSeconds();

/**
 * @param name of the sum
 * @param steps one after the other; the stages of a lane as well, while lanes run beside each other
 */
export async function runChecks(name, steps) {
  const sumFile = join(sumsFolder, `${name}.json`);
  for (const path of [countsFile, skippedFolder, sumFile]) rmSync(path, { recursive: true, force: true });
  for (const lanes of steps) await Promise.all(lanes.map(runLane));
  const counts = report();
  mkdirSync(sumsFolder, { recursive: true });
  writeFileSync(sumFile, JSON.stringify({ ...counts, stages: stagesDone }));
}

/** Makes the project graph, without which lint does not check module boundaries. */
export const workspaceStage = { name: 'workspace', tool: 'nx', args: ['sync:check'] };

/** @param args files or folders, and options */
export function lintStage(args, options = {}) {
  return {
    name: 'lint',
    tool: 'eslint',
    args: ['--max-warnings=0', ...args],
    refuses: /No cached ProjectGraph/,
    ...options,
  };
}

/** The stage that runs the tests of a Jest configuration. */
export function testStage(config, env = {}) {
  const reporters = ['--reporters=default', `--reporters=${join(root, 'tools/count-reporter.mjs')}`];
  return {
    name: 'tests',
    tool: 'jest',
    args: ['--config', config, ...reporters],
    env,
    countsItself: true,
    isLive: true,
  };
}

export function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

async function runLane(stages) {
  for (const stage of stages) {
    if (process.exitCode === 1) return; // interrupted
    const { name, countsItself = false, refuses } = stage;
    const { status, text } = await run(stage);
    if (status === 0 && !refuses?.test(text)) continue;
    const failed = failedTasksIn(text);
    failedTasks.push(...(failed.length > 0 ? failed : [name]).map((task) => ({ task, countsItself })));
  }
}

function report() {
  const counts = readCounts();
  const failedTests = counts.failed;
  for (const { task, countsItself } of failedTasks) {
    // Failed tests are in the sum already; a stage that never got to its tests is not.
    if (countsItself && failedTests > 0) continue;
    counts.failed += 1;
    counts.failures.push({ test: task, message: '' });
    process.stdout.write(`failed: ${task}\n`);
  }
  const skippedSuites = readSkippedSuites();
  for (const suite of skippedSuites) process.stdout.write(`skipped: ${suite}${isCi ? ' (a failure in CI)' : ''}\n`);
  if (isCi) {
    counts.failed += skippedSuites.length;
    counts.failures.push(...skippedSuites.map((suite) => ({ test: `${suite} (skipped)`, message: '' })));
  }
  if (counts.failed > 0) process.exitCode = 1;
  // `.ci/run` shows those of all its runs at its end.
  if (!isCi) process.stdout.write(`\n${describeTimings(stagesDone, counts.files).join('\n')}\n`);
  process.stdout.write(`${sentence(counts)}\n`);
  return counts;
}

/** Runs a stage. Its output is shown as it comes, or, where others run beside it, as one piece. */
function run({ name, tool, args, env = {}, nodeOptions = '', isLive = false }) {
  const show = (text) => process.stdout.write(text);
  if (isLive) show(`\n== ${name}\n`);
  const beganMs = performance.now();
  return new Promise((done) => {
    const child = spawn(join(root, 'node_modules/.bin', tool), args, {
      cwd: root,
      env: {
        ...process.env,
        PATH: [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter),
        NX_DAEMON: 'false',
        NX_TUI: 'false',
        NODE_OPTIONS: nodeOptions,
        PETS_TEST_RESULTS: resultsFolder,
        ...env,
        ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: STAGE_LIMIT_MS,
    });
    running.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        if (isLive) show(chunk);
        text = (text + chunk).slice(-262_144); // Nx lists the failed tasks at its end
      });
    }
    child.once('error', (error) => {
      text += `${error.message}\n`;
      end(1);
    });
    child.once('exit', () => {
      // Only a child that has ended is counted, so the difference is its own, whatever runs beside it.
      const cpuSeconds = endedChildrenSeconds();
      stagesDone.push({
        name,
        seconds: (performance.now() - beganMs) / 1_000,
        cpuSeconds: cpuSeconds === null ? null : cpuSeconds - countedCpuSeconds,
      });
      countedCpuSeconds = cpuSeconds;
    });
    child.once('close', (status) => end(status ?? 1));
    const end = (status) => {
      if (!running.delete(child)) return;
      if (!isLive) show(`\n== ${name}\n${text}`);
      done({ status, text });
    };
  });
}

function failedTasksIn(text) {
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, '');
  const list = plain.slice(plain.lastIndexOf('Failed tasks:'));
  return plain.includes('Failed tasks:') ? [...list.matchAll(/^[ \t]*- (\S+:\S+)/gm)].map(([, task]) => task) : [];
}

function readCounts() {
  if (!existsSync(countsFile)) return { passed: 0, failed: 0, skipped: 0, files: [], failures: [] };
  return JSON.parse(readFileSync(countsFile, 'utf8'));
}

function readSkippedSuites() {
  if (!existsSync(skippedFolder)) return [];
  return readdirSync(skippedFolder)
    .sort()
    .map((name) => readFileSync(join(skippedFolder, name), 'utf8').trim());
}
