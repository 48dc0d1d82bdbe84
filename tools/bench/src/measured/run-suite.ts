import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describeExit } from '@pets/dev-stack';

/** How a suite's process went. */
export interface SuiteRun<Told> {
  /** What it told through `tell`, in order; all of it until it failed, too. */
  readonly told: readonly Told[];
  readonly lines: readonly string[];
  readonly seconds: number;
  /** Why it did not get to its end. */
  readonly failed?: string;
}

export interface SuiteProcess {
  /** The file that calls `beSuite`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly limitMinutes: number;
}

const MINUTE_MS = 60_000;

/**
 * Runs a suite in a process of its own, so that one that fails, hangs or moves to another processor does nothing to the
 * others. What it prints is printed here as well; when its time is over it is killed, and what it started ends with it.
 */
export async function runSuite<Told>({ program, args, limitMinutes }: SuiteProcess): Promise<SuiteRun<Told>> {
  const began = performance.now();
  const child = fork(program, args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    timeout: limitMinutes * MINUTE_MS,
    killSignal: 'SIGKILL',
  });
  const [lines, told]: [string[], Told[]] = [[], []];
  let failed: string | undefined;
  child.on('message', (message: Message<Told>) => {
    if ('failed' in message) failed = message.failed;
    else told.push(message.told);
  });
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      process.stdout.write(`${line}\n`);
    });
  }
  const end = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // The pipe is at its end, too.
    child.once('close', (code, signal) => {
      const isOverTime = signal === 'SIGKILL' && performance.now() - began >= limitMinutes * MINUTE_MS;
      const how = isOverTime ? `was not done after ${limitMinutes} minutes` : describeExit({ code, signal });
      resolve(code === 0 ? undefined : how);
    });
  });
  const why = failed ?? end;
  const seconds = Math.round((performance.now() - began) / 1_000);
  return { told, lines, seconds, ...(why !== undefined && { failed: why }) };
}

type Message<Told> = { readonly failed: string } | { readonly told: Told };

/** The other end: runs a suite, hands on what it tells, and ends this process, which nothing left open may keep alive. */
export async function beSuite<Told>(run: (tell: (told: Told) => Promise<void>) => Promise<void>): Promise<never> {
  process.once('disconnect', () => process.exit(1)); // whoever waited for us is gone
  try {
    await run((told) => send({ told }));
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    await send<Told>({ failed: error instanceof Error ? error.message : String(error) });
    return process.exit(1);
  }
}

function send<Told>(message: Message<Told>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) throw new Error('a suite is run by "npm run bench" or "npm run chaos"');
    process.send(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}
