import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@pets/dev-stack';

/** One command as the document shows it, and the steps before it. */
export interface Step {
  /** Told in the document above the command. */
  readonly given?: string;
  readonly arrange?: () => Promise<void>;
  /** In Bash, where `pets` is the command. */
  readonly command: string;
  readonly exitCode: number;
}

export interface TranscriptOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Values of this run, with the texts that replace them in the document. */
  readonly replacements: readonly (readonly [text: string, shown: string])[];
}

const COMMAND_LIMIT_MS = 90_000;
const PROGRAM = join(repositoryRoot, 'apps/cli/bin/pets.mjs');

/**
 * Runs the steps in order, and shows of each what a terminal would, results and progress as they came.
 * @returns Markdown
 * @throws Error where a command ended otherwise than the document says
 */
export async function runCliTranscript(steps: readonly Step[], options: TranscriptOptions): Promise<string> {
  const blocks: string[] = [];
  for (const { given, arrange, command, exitCode } of steps) {
    await arrange?.();
    const ran = await runInBash(command, options.env);
    if (ran.exitCode !== exitCode)
      throw new Error(`${command} ended with ${ran.exitCode}, not ${exitCode}:\n${ran.output}`);
    const typed = `$ ${command}\n${ran.output.trimEnd()}\n$ echo $?\n${exitCode}`;
    const shown = options.replacements.reduce((rest, [from, to]) => rest.replaceAll(from, to), typed);
    blocks.push(...(given === undefined ? [] : [given]), `\`\`\`console\n${shown}\n\`\`\``);
  }
  return blocks.join('\n\n');
}

function runInBash(command: string, env: TranscriptOptions['env']): Promise<{ exitCode: number; output: string }> {
  const script = `pets() { "${process.execPath}" "${PROGRAM}" "$@"; }\nset -o pipefail\nexec 2>&1\n${command}`;
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-c', script], { env, timeout: COMMAND_LIMIT_MS }, (error, stdout) => {
      if (error !== null && typeof error.code !== 'number')
        reject(new Error(`${command} could not be run`, { cause: error }));
      else resolve({ exitCode: Number(error?.code ?? 0), output: stdout });
    });
    child.stdin?.end();
  });
}
