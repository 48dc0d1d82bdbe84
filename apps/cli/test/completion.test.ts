import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen, isInstalled } from '@pets/testing';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '../bin/pets.mjs');
const SHELL_LIMIT_MS = 30_000;

jest.setTimeout(2 * SHELL_LIMIT_MS);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-completion-'));
  await symlink(PROGRAM, join(folder, 'pets'));
  await writeFile(join(folder, 'chain file.pem'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Completes the end of a line with a shell. Each result is one word. */
type Shell = (line: string) => Promise<readonly string[]>;

async function runShell(program: string, args: readonly string[]): Promise<readonly string[]> {
  const path = [folder, dirname(process.execPath), process.env['PATH']].join(':');
  const env = { PATH: path, HOME: folder, TERM: 'dumb' };
  const { stdout } = await run(program, args, { env, cwd: folder, timeout: SHELL_LIMIT_MS });
  return stdout.split('\n').filter((word) => word !== '');
}

/** Calls the function as Bash does when Tab is pressed. */
const bash: Shell = (line) =>
  runShell('bash', [
    '--norc',
    '-c',
    `source <(pets completion bash)
     COMP_LINE="$1" COMP_POINT=\${#1}
     $(complete -p pets | sed -E 's/.*-F ([^ ]+) .*/\\1/') pets
     printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    line,
  ]);

/** In a shell on a pseudo-terminal, since Zsh completes nowhere else; what it offers is recorded instead of shown. */
const zsh: Shell = (line) =>
  runShell('zsh', [
    '-f',
    '-c',
    `zmodload zsh/zpty
     zpty shell zsh -f -i
     zpty -w shell 'PS1= ; autoload -Uz compinit && compinit -u -D; source <(pets completion zsh)'
     zpty -w shell 'compadd() { local -a found; local d=\${@[(i)-d]}; builtin compadd -O found "$@"; print -l -- "<word>"\${^found}; builtin compadd "$@" }'
     zpty -w shell 'offer() { zle complete-word; print "DO""NE" }; zle -N offer; bindkey "^I" offer; print READY'
     zpty -r shell ready '*READY*READY*'
     zpty -w -n shell "$1"$'\\t'
     zpty -r shell output '*DONE*'
     print -r -- "$output" | tr -d '\\r' | sed -n 's/^.*<word>//p' | sort -u`,
    'zsh',
    line,
  ]);

const fish: Shell = async (line) => {
  const offered = await runShell('fish', [
    '--no-config',
    '-c',
    'pets completion fish | source; complete -C $argv[1]',
    line,
  ]);
  return offered.map((each) => each.split('\t')[0] ?? '');
};

/** Each with what it has to be able to do: an unpacked shell does not find its modules and functions. */
const shells = [
  ['bash', bash, 'complete -p || true'],
  ['zsh', zsh, 'zmodload zsh/zpty && autoload -Uz compinit && compinit -u -D'],
  ['fish', fish, 'complete -C "cd /"; type -q __fish_complete_path'],
] as const;

function missing(name: string, needed: string): string | null {
  const isUsable = isInstalled(name) && spawnSync(name, ['-c', needed], { timeout: SHELL_LIMIT_MS }).status === 0;
  return isUsable ? null : `${name} is not installed`;
}

describe.each(shells)('completion', (name, shell, needed) => {
  describeWhen(describe, `in ${name}`, missing(name, needed), () => {
    it('offers the words at the cursor', async () => {
      const offered = await shell('pets domains certificate ');
      expect([...offered].sort()).toEqual(['prefer', 'rm', 'set', 'show']);
    });

    it('offers values with a colon, of an option that takes several', async () => {
      const offered = await shell('pets keys create ci --scope pets:read orders:');
      expect(offered.map((word) => word.replace(/^orders:/, '')).sort()).toEqual(['read', 'write']);
    });

    it('offers files', async () => {
      expect((await shell('pets domains certificate set a.example --cert ch')).join('')).toContain('file.pem');
    });

    it('offers nothing where only the API knows', async () => {
      expect(await shell('pets webhooks show ')).toEqual([]);
    });
  });
});
