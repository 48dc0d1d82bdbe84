import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into each process of an edge before its program (`--import`). On SIGUSR2 it writes the longest pause of the event
 * loop since the last time, in milliseconds, to a file named for the process.
 */
const RESOLUTION_MS = 2;
const NANOSECONDS_A_MS = 1e6;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
process.on('SIGUSR2', () => {
  // eslint-disable-next-line no-restricted-properties -- it runs inside a program whose settings it must not touch
  const file = join(process.env.BENCH_PAUSES ?? '', `pauses-${process.pid}`);
  const longestMs = Math.max(delays.max / NANOSECONDS_A_MS - RESOLUTION_MS, 0);
  writeFileSync(file, `${longestMs}\n`);
  delays.reset();
});
