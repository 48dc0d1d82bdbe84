/**
 * A test runner for Stryker, which `tools/mutate.mjs` starts. Stryker's own for Jest starts Jest again for each of some
 * thousand mutants, seconds each, to run tests that take milliseconds. This one stays up: for a mutant it loads those
 * test files which reach it, afresh, and runs their tests with Jest's own runner (jest-circus) and `expect`.
 *
 * It is for tests of pure code: no environment is set up, and `jest` itself is not offered.
 */
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { transformSync } from '@swc/core';
import { addEventHandler, getState, resetState, run } from 'jest-circus';

/** In the order in which they run: what the pages of the documentation are made from is best noticed by their tests. */
const TEST_FILES = ['test/**/*.test.ts', 'src/**/*.spec.ts'];
const BETWEEN = ' › ';
const globals = new URL('mutation-globals.mjs', import.meta.url).href;
const configFile = fileURLToPath(new URL('../.swcrc', import.meta.url));

/** Object in which code with mutants looks for the one that is switched on, and counts what it runs. */
const stryker = (globalThis.__stryker__ ??= {});
const transformed = new Map();
const loaded = new Map();
/** How long each test file took when it ran last. */
const tookMs = new Map();
let loads = 0;
let fileThatRuns;

registerHooks({
  /**
   * Resolves as jest.preset.js does: `.js` of a source is its `.ts`. A load's number goes from a test to all that it
   * imports.
   */
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: globals, shortCircuit: true };
    const parent = new URL(context.parentURL ?? import.meta.url);
    if (!parent.pathname.endsWith('.ts') || !/^\.{1,2}\//.test(specifier)) return next(specifier, context);
    const url = new URL(specifier.replace(/\.js$/, '.ts'), parent);
    url.search = parent.search;
    return { url: url.href, shortCircuit: true };
  },
  load(url, context, next) {
    const { pathname } = new URL(url);
    if (!pathname.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: javascriptOf(fileURLToPath(new URL(pathname, url))), shortCircuit: true };
  },
});

function javascriptOf(path) {
  const known = transformed.get(path);
  if (known !== undefined) return known;
  const { code } = transformSync(readFileSync(path, 'utf8'), { filename: path, configFile, sourceMaps: false });
  transformed.set(path, code);
  return code;
}

addEventHandler((event) => {
  if (event.name === 'test_start') stryker.currentTestId = idOf(fileThatRuns, namesOf(event.test));
  if (event.name === 'test_done') stryker.currentTestId = undefined;
});

class PureTestRunner {
  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun() {
    delete stryker.activeMutant;
    const result = await runFiles(allTestFiles(), { isBailing: false });
    return { ...result, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, sandboxFileName, testFilter, mutantActivation, hitLimit, disableBail }) {
    const files = testFilter
      ? [...new Set(testFilter.map((id) => id.split(BETWEEN)[0]))]
      : testFilesThatLoad(sandboxFileName);
    stryker.hitLimit = hitLimit;
    stryker.hitCount = hitLimit === undefined ? undefined : 0;
    stryker.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
    const result = await runFiles(files, {
      mutated: sandboxFileName,
      wanted: testFilter && new Set(testFilter),
      isBailing: !disableBail,
      onLoaded: () => (stryker.activeMutant = activeMutant.id),
    });
    delete stryker.activeMutant;
    return toMutantRunResult(determineHitLimitReached(stryker.hitCount, hitLimit) ?? result, disableBail);
  }
}

function allTestFiles() {
  return TEST_FILES.flatMap((pattern) => globSync(pattern).sort());
}

/** A mutant that takes effect while its file is loaded can be noticed by every test file that loads it, and by no other. */
function testFilesThatLoad(path) {
  return allTestFiles().filter((file) => filesLoadedBy(join(process.cwd(), file)).has(path));
}

function filesLoadedBy(path) {
  if (!loaded.has(path)) loaded.set(path, addImports(path, new Set()));
  return loaded.get(path);
}

function addImports(path, found) {
  found.add(path);
  for (const [, specifier] of javascriptOf(path).matchAll(
    /\b(?:from |import |import\()["'](\.{1,2}\/[^"']+)\.js["']/g,
  )) {
    const imported = join(dirname(path), `${specifier}.ts`);
    if (!found.has(imported)) addImports(imported, found);
  }
  return found;
}

/** The order in which test files are most likely to notice a mutant soon: its own, then those of its folder, then the quick ones. */
function byPromise(mutated) {
  const rank = (file) => {
    const path = join(process.cwd(), file);
    if (path.startsWith(mutated.replace(/\.ts$/, ''))) return 0;
    return dirname(path) === dirname(mutated) ? 1 : 2;
  };
  return (one, other) => rank(one) - rank(other) || (tookMs.get(one) ?? 0) - (tookMs.get(other) ?? 0);
}

/**
 * One load for all of them: what two test files import is loaded once, as the mutant is the same. The first test that
 * notices the mutant ends the run. A file that cannot be loaded is reported only where no test of another file has failed.
 */
async function runFiles(files, { mutated, wanted, isBailing, onLoaded }) {
  const search = `?load=${++loads}`;
  const [tests, errors] = [[], []];
  for (const file of mutated === undefined ? files : files.toSorted(byPromise(mutated))) {
    const startedAt = performance.now();
    fileThatRuns = file;
    resetState();
    try {
      await import(pathToFileURL(join(process.cwd(), file)).href + search);
    } catch (error) {
      errors.push(`${file}: ${error.stack ?? error}`);
      continue;
    }
    onLoaded?.();
    if (wanted !== undefined) skipOthers(getState().rootDescribeBlock, file, wanted);
    const { testResults, unhandledErrors } = await run();
    errors.push(...unhandledErrors);
    tests.push(...testResults.map((result) => asTestResult(file, result)));
    if (isBailing && hasFailed(tests)) break;
    tookMs.set(file, performance.now() - startedAt);
  }
  return errors.length === 0 || hasFailed(tests)
    ? { status: DryRunStatus.Complete, tests }
    : { status: DryRunStatus.Error, errorMessage: errors.join('\n') };
}

function hasFailed(tests) {
  return tests.some(({ status }) => status === TestStatus.Failed);
}

function skipOthers(block, file, wanted) {
  for (const child of block.children) {
    if (child.type === 'describeBlock') skipOthers(child, file, wanted);
    else if (!wanted.has(idOf(file, namesOf(child)))) child.mode = 'skip';
  }
}

function asTestResult(file, { testPath, status, errors, duration }) {
  const id = idOf(file, testPath.slice(1));
  const result = { id, name: id, fileName: join(process.cwd(), file), timeSpentMs: duration ?? 0 };
  if (errors.length > 0) return { ...result, status: TestStatus.Failed, failureMessage: errors.join('\n') };
  return { ...result, status: status === 'done' ? TestStatus.Success : TestStatus.Skipped };
}

function namesOf(test) {
  const names = [];
  for (let at = test; at.parent !== undefined; at = at.parent) names.unshift(at.name);
  return names;
}

function idOf(file, names) {
  return [file, ...names].join(BETWEEN);
}

export const strykerPlugins = [declareValuePlugin(PluginKind.TestRunner, 'pure', new PureTestRunner())];
