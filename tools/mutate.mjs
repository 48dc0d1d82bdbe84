/**
 * `npm run mutate`: changes the decisions of libs/domains a little, some thousand times, and runs the tests that reach
 * each change: one that no test notices is a promise that nothing keeps. Prints what survived and the scores, writes the
 * rows of these files in docs/mutation.md, and exits with 1 below a bar, naming the files.
 *
 *   npm run mutate                               everything
 *   npm run mutate -- 'src/dns/*.ts'             some files, by their paths in libs/domains
 */
import { execFileSync, spawn } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import config from '../libs/domains/stryker.config.mjs';

/** The lowest scores: of all files together, and of each. */
const BAR = 97;
const FILE_BAR = 90;

const root = resolve(import.meta.dirname, '..');
const project = join(root, 'libs/domains');
const page = join(root, 'docs/mutation.md');
const reportFile = join(root, 'test-results/mutation/report.json');
const [TABLE_BEGINS, TABLE_ENDS] = ['<!-- table -->', '<!-- end of table -->'];

const files = process.argv.slice(2);
const exclusions = config.mutate.filter((pattern) => pattern.startsWith('!'));
rmSync(reportFile, { force: true });
const measured = `${new Date().toISOString().slice(0, 10)}, ${describeCommit()}`;
const earlierRows = readRows();
const status = await runStryker(files.length === 0 ? [] : ['--mutate', [...files, ...exclusions].join(',')]);
if (status === 0) await report();
else process.exitCode = 1;

async function report() {
  const results = Object.entries(JSON.parse(readFileSync(reportFile, 'utf8')).files).map(asResult);
  for (const { path, survivors } of results) for (const line of survivors) process.stdout.write(`${path}${line}\n`);
  const table = listFiles().map((path) => results.find((each) => each.path === path) ?? unchanged(path));
  await writeTable(table);
  const low = results.filter((each) => scoreOf(each) < FILE_BAR);
  for (const each of low)
    process.stdout.write(`${each.path} has a score of ${scoreOf(each).toFixed(1)} (bar of a file ${FILE_BAR})\n`);
  const score = scoreOf(sumOf(results));
  process.stdout.write(`mutation score ${score.toFixed(1)} (bar ${BAR})\n`);
  if (low.length > 0 || (files.length === 0 && score < BAR)) process.exitCode = 1;
}

/** The files that a complete run changes, by their paths in libs/domains. */
function listFiles() {
  const exclude = exclusions.map((pattern) => pattern.slice(1));
  const included = config.mutate.filter((pattern) => !exclusions.includes(pattern));
  return globSync(included, { cwd: project, exclude });
}

/** A file that this run did not report: there is nothing to change in it, or the run left it out and its row stays. */
function unchanged(path) {
  const row = earlierRows.get(path.replace(/^src\//, ''));
  const isLeftOut = files.length > 0 && !globSync(files, { cwd: project }).includes(path);
  if (isLeftOut && row !== undefined) return { path, ...row };
  return { path, noticed: 0, survived: 0, unreached: 0, measured: isLeftOut ? 'not yet' : measured };
}

/** The rows of the page, by file. */
function readRows() {
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(
    rows.map(([, path, , noticed, survived, unreached, measured]) => [
      path.replaceAll('`', ''),
      { noticed: Number(noticed), survived: Number(survived), unreached: Number(unreached), measured },
    ]),
  );
}

/** The commit whose code is changed. */
function describeCommit() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const id = git('rev-parse', '--short', 'HEAD');
  return git('status', '--porcelain', '--', 'libs/domains') === '' ? id : `${id} and changes`;
}

function runStryker(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/.bin/stryker'), 'run', ...args], {
      cwd: project,
      stdio: 'inherit',
    });
    const stop = (signal) => child.kill(signal);
    process.on('SIGINT', stop).on('SIGTERM', stop);
    child.once('close', (code) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      rmSync(join(root, '.mutation'), { recursive: true, force: true });
      done(code ?? 1);
    });
  });
}

/** The counts of a file. A mutant that cannot be loaded, or is ignored by a comment, counts neither way. */
function asResult([path, { mutants, source }]) {
  const count = (...statuses) => mutants.filter((mutant) => statuses.includes(mutant.status)).length;
  const lines = source.split('\n');
  const survivors = mutants
    .filter((mutant) => mutant.status === 'Survived' || mutant.status === 'NoCoverage')
    .map(({ location: { start, end }, mutatorName, replacement, status }) => {
      const line = lines[start.line - 1];
      const was = start.line === end.line ? line.slice(start.column - 1, end.column - 1) : line.slice(start.column - 1);
      return `:${start.line}:${start.column} ${status} ${mutatorName}: ${oneLine(was)} → ${oneLine(replacement)}`;
    });
  return {
    path,
    survivors,
    measured,
    noticed: count('Killed', 'Timeout'),
    survived: count('Survived'),
    unreached: count('NoCoverage'),
  };
}

function oneLine(text = '') {
  return text.replaceAll(/\s+/g, ' ').slice(0, 100);
}

function sumOf(results) {
  const sum = (key) => results.reduce((total, each) => total + each[key], 0);
  return { noticed: sum('noticed'), survived: sum('survived'), unreached: sum('unreached') };
}

function allOf({ noticed, survived, unreached }) {
  return noticed + survived + unreached;
}

function scoreOf(counts) {
  return allOf(counts) === 0 ? 100 : (counts.noticed / allOf(counts)) * 100;
}

/** A row for all, for each folder and for each file, with the day and the commit: a test compares them with the sources. */
async function writeTable(results) {
  const inside = results.map((each) => ({ ...each, path: each.path.replace(/^src\//, '') }));
  const folders = Map.groupBy(inside, ({ path }) => dirname(path));
  const rows = [...folders]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([folder, each]) => [
      ...(folder === '.' ? [] : [rowOf(`**${folder}**`, sumOf(each), '')]),
      ...each
        .toSorted((one, other) => (one.path < other.path ? -1 : 1))
        .map((file) => rowOf(`\`${file.path}\``, file, file.measured)),
    ]);
  const head = [
    '| | score | noticed | survived | reached by no test | measured |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
  ];
  const table = [...head, rowOf('**all**', sumOf(inside), ''), ...rows].join('\n');
  const text = readFileSync(page, 'utf8');
  const [before, after] = [text.split(TABLE_BEGINS)[0], text.split(TABLE_ENDS)[1]];
  if (after === undefined) throw new Error(`${page} has no place for the table`);
  const whole = `${before}${TABLE_BEGINS}\n\n${table}\n\n${TABLE_ENDS}${after}`;
  writeFileSync(page, await format(whole, { ...(await resolveConfig(page)), parser: 'markdown' }));
}

function rowOf(name, counts, measuredOn) {
  const score = allOf(counts) === 0 ? '–' : scoreOf(counts).toFixed(1);
  return `| ${name} | ${score} | ${counts.noticed} | ${counts.survived} | ${counts.unreached} | ${measuredOn} |`;
}
