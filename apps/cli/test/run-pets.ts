import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { outcomeSchema, type Outcome } from '../src/outcome/outcome.js';

const PROGRAM = join(import.meta.dirname, '../bin/pets.mjs');

/** Above all limits of the commands that are tested. */
const RUN_LIMIT_MS = 60_000;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Given the process, for what one does to processes. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** The built command, in a process of its own that knows nothing but what it is given. */
export class Pets {
  constructor(private readonly env: Readonly<Record<string, string>>) {}

  with(env: Readonly<Record<string, string>>): Pets {
    return new Pets({ ...this.env, ...env });
  }

  run(args: readonly string[], { env = {}, stdin = '', onStart }: RunOptions = {}): Promise<Ran> {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...this.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: RUN_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let [stdout, stderr] = ['', ''];
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

  /** With `--json`: its one document, checked against the schema. */
  async json(args: readonly string[], options: RunOptions = {}): Promise<Ran & { readonly outcome: Outcome }> {
    const ran = await this.run([...args, '--json'], options);
    return { ...ran, outcome: outcomeSchema.parse(JSON.parse(ran.stdout)) };
  }
}
