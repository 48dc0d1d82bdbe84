import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { outcomeSchema, type Outcome } from '../src/outcome/outcome.js';

const PROGRAM = join(import.meta.dirname, '../bin/pets.mjs');

/** Longer than any timeout of the tested commands. */
const RUN_TIMEOUT_MS = 60_000;

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The current folder. */
  readonly cwd?: string;
  /** Receives the process, for example to send signals. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs the built command as a process with only the given environment. */
export class Pets {
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>>) {
    this.env = env;
  }

  with(env: Readonly<Record<string, string>>): Pets {
    return new Pets({ ...this.env, ...env });
  }

  run(args: readonly string[], { env = {}, stdin = '', cwd, onStart }: RunOptions = {}): Promise<RunResult> {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...this.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd,
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    onStart?.(child);
    child.stdin.on('error', () => undefined); // a command that does not read
    child.stdin.end(stdin);
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  /** Runs on a pseudo-terminal without colours, by `script`. @returns all lines, results and progress as they came */
  async onTerminal(args: readonly string[], columns: number): Promise<readonly string[]> {
    const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`);
    const command = `stty cols ${columns}; ${words.join(' ')} || true`;
    const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh', ...this.env };
    const options = { env, timeout: RUN_TIMEOUT_MS };
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], options);
    return stdout.replaceAll('\r', '').trimEnd().split('\n');
  }

  /** Runs with `--json` and parses the document with its schema. */
  async json(args: readonly string[], options: RunOptions = {}): Promise<RunResult & { readonly outcome: Outcome }> {
    const result = await this.run([...args, '--json'], options);
    return { ...result, outcome: outcomeSchema.parse(JSON.parse(result.stdout)) };
  }
}
