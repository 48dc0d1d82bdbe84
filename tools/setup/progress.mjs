/** Says what is going on, and for how many seconds already. */
import { clearInterval, setInterval } from 'node:timers';

const EVERY_MS = { terminal: 1_000, file: 10_000 };

const active = new Map();
let timer = null;

export function say(line) {
  clearLine();
  process.stdout.write(`setup: ${line}\n`);
}

/** Runs work that takes a while. Works may run beside each other. */
export async function during(label, work) {
  const startedAt = performance.now();
  say(label);
  active.set(label, startedAt);
  timer ??= setInterval(show, process.stdout.isTTY ? EVERY_MS.terminal : EVERY_MS.file);
  try {
    return await work();
  } finally {
    active.delete(label);
    if (active.size === 0) {
      clearInterval(timer);
      timer = null;
    }
    say(`${label}: ${seconds(startedAt)} s`);
  }
}

function show() {
  const line = `setup: ${[...active].map(([label, startedAt]) => `${label} … ${seconds(startedAt)} s`).join('; ')}`;
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${line.slice(0, process.stdout.columns - 1)}`);
  else process.stdout.write(`${line}\n`);
}

function clearLine() {
  if (process.stdout.isTTY && timer !== null) process.stdout.write('\r\u001b[2K');
}

function seconds(since) {
  return Math.round((performance.now() - since) / 1_000);
}
