import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describeExit } from '@pets/testing/processes';

/** The outcome of a suite's process. */
export interface SuiteRun<Report> {
  /** In order; also those before a failure. */
  readonly reports: readonly Report[];
  /** Lines of its output. */
  readonly lines: readonly string[];
  readonly seconds: number;
  /** The reason why it did not complete. */
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
 * Runs a suite in a process of its own, so that one that fails, hangs or moves to another processor does not affect the
 * others. Its output is printed here as well. When its time is over, it is killed, and its children end with it.
 */
export async function runSuite<Report>({ program, args, limitMinutes }: SuiteProcess): Promise<SuiteRun<Report>> {
  const began = performance.now();
  const child = fork(program, args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    timeout: limitMinutes * MINUTE_MS,
    killSignal: 'SIGKILL',
  });
  const [lines, reports]: [string[], Report[]] = [[], []];
  let failed: string | undefined;
  child.on('message', (message: Message<Report>) => {
    if ('failed' in message) failed = message.failed;
    else reports.push(message.report);
  });
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      process.stdout.write(`${line}\n`);
    });
  }
  const end = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // `close` comes when its output is read as well.
    child.once('close', (code, signal) => {
      const isOverTime = signal === 'SIGKILL' && performance.now() - began >= limitMinutes * MINUTE_MS;
      const how = isOverTime ? `was not done after ${limitMinutes} minutes` : describeExit({ code, signal });
      resolve(code === 0 ? undefined : how);
    });
  });
  const why = failed ?? end;
  const seconds = Math.round((performance.now() - began) / 1_000);
  return { reports, lines, seconds, ...(why !== undefined && { failed: why }) };
}

type Message<Report> = { readonly failed: string } | { readonly report: Report };

/** Runs in the suite's process: sends its reports, and exits even if the suite left something open. */
export async function beSuite<Report>(
  run: (report: (report: Report) => Promise<void>) => Promise<void>,
): Promise<never> {
  process.once('disconnect', () => process.exit(1)); // the parent is gone
  try {
    await run((report) => send({ report }));
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    await send<Report>({ failed: error instanceof Error ? error.message : String(error) });
    return process.exit(1);
  }
}

function send<Report>(message: Message<Report>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) throw new Error('a suite is run by "npm run bench" or "npm run chaos"');
    process.send(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}
