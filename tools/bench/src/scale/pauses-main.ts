import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Loaded into each process of an edge before its program (`--import`). On SIGUSR2 it writes the longest pause of the event
 * loop since the last time, in milliseconds, to a file named for the process. Time in which the thread was ready to run and
 * other programs had the processors does not count: it says nothing about the edge.
 */
const INTERVAL_MS = 2;
/** Shorter pauses are not looked at. */
const LEAST_MS = 5;
const NANOSECONDS_A_MS = 1e6;

let longestMs = 0;
let lastMs = performance.now();
let lastWaitMs = waitedMs();

setInterval(() => {
  const nowMs = performance.now();
  const pauseMs = nowMs - lastMs - INTERVAL_MS;
  const waitMs = waitedMs();
  if (pauseMs > LEAST_MS) longestMs = Math.max(longestMs, pauseMs - (waitMs - lastWaitMs));
  [lastMs, lastWaitMs] = [nowMs, waitMs];
}, INTERVAL_MS).unref();

process.on('SIGUSR2', () => {
  // eslint-disable-next-line no-restricted-properties -- it runs inside a program whose settings it must not touch
  const file = join(process.env.BENCH_PAUSES ?? '', `pauses-${process.pid}`);
  writeFileSync(file, `${longestMs}\n`);
  longestMs = 0;
});

/** How long this thread has waited for a processor (Documentation/scheduler/sched-stats.rst, the second number). */
function waitedMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / NANOSECONDS_A_MS;
}
