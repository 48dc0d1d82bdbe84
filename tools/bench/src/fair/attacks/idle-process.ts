import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs an attack in a process of its own until the signal aborts. It runs only while a processor is idle (SCHED_IDLE): a
 * stranger has a machine of his own, and what it costs him to send must not slow the tenant beside him.
 * @param program a file of this folder, which reads its order as JSON from standard input
 */
export async function runIdle(program: string, order: unknown, signal: AbortSignal): Promise<void> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn('chrt', ['--idle', '0', process.execPath, file], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(JSON.stringify(order));
  const ended = once(child, 'exit');
  await Promise.race([ended, once(signal, 'abort')]);
  if (!signal.aborted) throw new Error(`${program} has ended`);
  child.kill('SIGKILL');
  await ended;
}
