import { spawn } from 'node:child_process';

/** Program that runs containers here. */
export interface Engine {
  readonly name: string;
  /** Whether `compose run` works: not with Podman and version 1 of Compose. */
  readonly canRun: boolean;
  /** Builds the images of docker-compose.yml, and what they are built from where that cannot be had. */
  buildImages(environmentFile: string): Promise<void>;
  /** Runs a command of compose with `environmentFile` as its `.env`, and answers what it printed. */
  compose(environmentFile: string, args: readonly string[], options: ComposeOptions): Promise<string>;
  close(): Promise<void>;
}

export interface ComposeOptions extends Pick<CommandOptions, 'timeoutMs' | 'input'> {
  /** A file on top of docker-compose.yml. */
  readonly alsoFile?: string;
}

/** Paths and variables that an engine uses. */
export interface EngineEnvironment {
  readonly repositoryRoot: string;
  /** For the commands that are run. */
  readonly env: Readonly<Record<string, string>>;
  /** The npm that runs this: `…/npm/bin/npm-cli.js`. */
  readonly npmCli: string;
  /** A folder that goes away at the end. */
  readonly scratch: string;
  readonly say: (line: string) => void;
}

/** Runs a command of podman. */
export type Podman = (args: readonly string[], timeoutMs?: number) => Promise<string>;

interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Standard input; empty by default. */
  readonly input?: string;
}

/** How much of what a command printed is shown when it failed: the end says why. */
const SHOWN_LINES = 25;

/**
 * Runs a command to its end.
 * @returns what it printed to standard output
 * @throws Error with the last lines it printed, when it fails or takes longer than its limit
 */
export function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { cwd, env, timeoutMs, input } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, timeout: timeoutMs, stdio: 'pipe' });
    // The exit code says why a command did not read its input to the end.
    child.stdin.on('error', () => undefined).end(input);
    const output: Buffer[] = [];
    const all: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => void (output.push(chunk), all.push(chunk)));
    child.stderr.on('data', (chunk: Buffer) => void all.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(output).toString());
      const why = signal === null ? `exit ${code}` : `${signal}, after at most ${timeoutMs / 1000} s`;
      const lines = Buffer.concat(all).toString().trimEnd().split('\n').slice(-SHOWN_LINES);
      reject(new Error(`${[command, ...args].join(' ')}: ${why}\n${lines.join('\n')}`));
    });
  });
}

/** Whether a command ends well. */
export async function succeeds(command: string, args: readonly string[], options: CommandOptions): Promise<boolean> {
  return runCommand(command, args, options).then(
    () => true,
    () => false,
  );
}
