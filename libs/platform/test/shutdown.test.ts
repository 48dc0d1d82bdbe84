import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const MODULE = join(import.meta.dirname, '../src/shutdown.ts');

/** Starts a process with the given stop function, sends the signal, and returns its exit code. */
async function exitOf(stop: string, signal: NodeJS.Signals): Promise<number | null> {
  const program = `
    import { stopOnSignal } from ${JSON.stringify(MODULE)};
    const log = { info: () => undefined, error: () => undefined };
    setInterval(() => undefined, 1_000);
    stopOnSignal(log, ${stop}, 300);
    process.stdout.write('ready');`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 10_000 });
  const exited = once(child, 'exit') as Promise<[number | null]>; // what `exit` brings
  await once(child.stdout, 'data');
  child.kill(signal);
  return (await exited)[0];
}

it.each<[string, string, NodeJS.Signals, number]>([
  ['0 when the stop finishes', 'async () => undefined', 'SIGTERM', 0],
  ['0 when it is interrupted', 'async () => undefined', 'SIGINT', 0],
  ['1 when the stop fails', 'async () => { throw new Error() }', 'SIGTERM', 1],
  ['1 when the stop times out', '() => new Promise(() => undefined)', 'SIGTERM', 1],
])('a stopping process exits with %s', async (_name, stop, signal, code) => {
  expect(await exitOf(stop, signal)).toBe(code);
});
