import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describeExit, repositoryRoot } from '@pets/testing/processes';
import type { SuiteFacts } from '../suites.js';

/** A commit that cannot be built, or a build that cannot run its suite. */
export class UnusableBuildError extends Error {}

/** A checkout of this repository that is installed and built. */
export interface Build {
  /** For lines that are printed. */
  readonly name: string;
  readonly folder: string;
}

export const thisBuild: Build = { name: 'here', folder: repositoryRoot };

const MINUTE_MS = 60_000;
const GIT_LIMIT_MS = 5 * MINUTE_MS;
const SETUP_LIMIT_MS = 20 * MINUTE_MS;
/** The last lines of a program that failed. */
const LAST_LINES = 20;

/** The repository of the commit, and the folder where builds of commits are kept. */
interface Places {
  readonly repository: string;
  readonly builds: string;
}

const ownPlaces: Places = { repository: repositoryRoot, builds: join(tmpdir(), 'pets-bench-builds') };

/**
 * A worktree of a commit with its own dependencies, by its own lock file, outside of this checkout, so that nothing of ours is
 * found in its place. It is kept for the next comparison with the same commit; those of other commits are deleted.
 * @throws UnusableBuildError
 */
export function openOtherBuild(commit: string, { repository, builds }: Places = ownPlaces): Build {
  const git = (...args: readonly string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: repository, encoding: 'utf8', timeout: GIT_LIMIT_MS });
    return status === 0 ? stdout : undefined;
  };
  const id = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`)?.trim();
  if (id === undefined) throw new UnusableBuildError(`there is no commit ${commit}`);
  mkdirSync(builds, { recursive: true, mode: 0o755 });
  if (statSync(builds).uid !== process.getuid?.()) {
    throw new UnusableBuildError(`${commit} cannot be built: ${builds} belongs to another user`);
  }
  for (const other of readdirSync(builds).filter((name) => name !== id)) {
    rmSync(join(builds, other), { recursive: true, force: true });
  }
  const folder = join(builds, id);
  if (git('-C', folder, 'diff', '--quiet', 'HEAD') === undefined) {
    rmSync(folder, { recursive: true, force: true }); // a checkout that was interrupted
    git('worktree', 'prune');
    if (git('worktree', 'add', '--detach', '--force', folder, id) === undefined) {
      throw new UnusableBuildError(`${commit} cannot be checked out in ${folder}`);
    }
  }
  setUp(commit, folder);
  return { name: commit, folder };
}

/** Each commit says itself what has to be done before its benchmarks. */
function setUp(commit: string, folder: string): void {
  const options = { cwd: folder, env: environmentOf(folder), encoding: 'utf8', timeout: SETUP_LIMIT_MS } as const;
  const { status, stdout, stderr, error } = spawnSync('npm', ['run', 'prebench'], options);
  if (status === 0) return;
  const lines = `${stdout}${stderr}`.trim().split('\n').slice(-LAST_LINES);
  throw new UnusableBuildError(
    [`${commit} cannot be built: ${error?.message ?? 'npm run prebench failed'}`, ...lines].join('\n'),
  );
}

/**
 * Runs a suite of a build as its own `npm run bench -- SUITE` would, and prints its lines.
 * @throws UnusableBuildError when it does not complete
 */
export async function runSuiteOf(
  { name, folder }: Build,
  suite: string,
  { part, limitMinutes }: Pick<SuiteFacts, 'part' | 'limitMinutes'>,
): Promise<SuiteOutput> {
  const program = join(folder, 'tools/bench/dist/main.js');
  const child = spawn(join(folder, 'node_modules/.bin/node'), [program, suite], {
    cwd: folder,
    // What the caller has set goes before the settings of a short part. Older builds keep a record unless told not to.
    env: { ...part, ...environmentOf(folder), BENCH_WRITE: 'no' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMinutes * MINUTE_MS,
    killSignal: 'SIGKILL', // its suite ends when it is gone
  });
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    process.stdout.write(`  ${name}: ${line}\n`);
  });
  const exit = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // The exit code 1 is also that of a bar that is missed.
    child.once('close', (code, signal) => resolve(code === 0 || code === 1 ? null : describeExit({ code, signal })));
  });
  const output = readSuiteOutput(lines);
  const reason = output.failed ?? exit ?? (output.figures.size === 0 ? 'it printed no figure' : undefined);
  if (reason === undefined) return output;
  throw new UnusableBuildError(
    [`${name}: the suite ${suite} failed: ${reason}`, ...errors.slice(-LAST_LINES)].join('\n'),
  );
}

/** The environment without what npm says of the script of this checkout, and with the programs of the other one first. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle|config_local)_/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
  };
}

/** Output of a suite of any build of this repository, as far as two builds can be compared by it. */
interface SuiteOutput {
  /** Figures by name, as the suite calls them; `cpu/…` are CPU seconds for one unit of work. */
  readonly figures: ReadonlyMap<string, number>;
  /** The reason why the suite did not complete. */
  readonly failed?: string;
}

const ratioLine = /^ratio (?<name>\S+) (?<value>[\d.]+)(?: |$)/;
/** `redis: CPU for the 20000: pets-api 7.7 s, postgres 12.0 s` */
const cpuLine = /^(?<what>[^:]+): CPU for the (?<count>\d+): (?<parts>.+)$/;
const cpuPart = /^(?<name>.+) (?<seconds>[\d.]+) s$/;
/** `ours: handshake 0.105 CPU s a thousand, 900/s` */
const thousandLine = /^(?<who>[^:]+): (?<what>.+) (?<seconds>[\d.]+) CPU s a thousand/;
const failedLine = /^failed: [^:]+: (?<reason>.+)$/;

const THOUSAND = 1_000;

/** Reads the figures and the CPU times of a suite from the lines it prints, whose forms no release has changed. */
export function readSuiteOutput(lines: readonly string[]): SuiteOutput {
  const figures = new Map<string, number>();
  let failed: string | undefined;
  for (const line of lines) {
    for (const [name, value] of readLine(line)) figures.set(name, value);
    failed = failedLine.exec(line)?.groups?.['reason'] ?? failed;
  }
  return { figures, ...(failed !== undefined && { failed }) };
}

function readLine(line: string): (readonly [name: string, value: number])[] {
  const ratio = ratioLine.exec(line)?.groups;
  if (ratio !== undefined) return [[ratio['name'] ?? '', Number(ratio['value'])]];
  const thousand = thousandLine.exec(line)?.groups;
  if (thousand !== undefined) {
    return [[cpuName(thousand['what'], thousand['who']), Number(thousand['seconds']) / THOUSAND]];
  }
  const cpu = cpuLine.exec(line)?.groups;
  return (cpu?.['parts'] ?? '').split(', ').flatMap((part) => {
    const { name, seconds } = cpuPart.exec(part)?.groups ?? {};
    return name === undefined
      ? []
      : [[cpuName(cpu?.['what'], name), Number(seconds) / Number(cpu?.['count'])] as const];
  });
}

function cpuName(...parts: readonly (string | undefined)[]): string {
  return ['cpu', ...parts.map((part) => part?.replaceAll(' ', '-'))].join('/');
}
