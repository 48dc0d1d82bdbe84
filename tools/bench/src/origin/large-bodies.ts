import { setTimeout as sleep } from 'node:timers/promises';
import type { Ground } from '../edge/contestant.js';
import { memoryMb } from '../engine/processes.js';
import type { Figure } from '../figure.js';
import { originSettings } from '../settings.js';
import { NAMES, ours, withRunners } from './contestants.js';
import { driveOrigin, type Asked, type OriginLoad } from './origin-driver.js';

const { BENCH_ORIGIN_BODY_MB: MEGABYTES } = originSettings;

const BYTES = MEGABYTES * 1024 * 1024;
const INTERVAL_MS = 50;
const WARM_UP_SECONDS = 2;
const BAR_MB = 32;

const transfers: readonly (readonly [name: string, asked: Asked])[] = [
  ['http1-down', { protocol: 'http1', sentBytes: 0, bytes: BYTES }],
  ['http1-up', { protocol: 'http1', sentBytes: BYTES, bytes: 1 }],
  ['http2-down', { protocol: 'http2', sentBytes: 0, bytes: BYTES }],
  ['http2-up', { protocol: 'http2', sentBytes: BYTES, bytes: 1 }],
];

/** The memory (PSS of all processes) that one large body needs, at its highest, besides that before it. */
export async function measureLargeBodies(ground: Ground): Promise<Figure[]> {
  return withRunners(ground, [ours()], async ([runner]) => {
    if (runner === undefined) return [];
    const { serving } = runner;
    const drive = (load: OriginLoad) => driveOrigin(serving, ground.set.rootPem, load);
    const small = { sentBytes: 0, bytes: 1_024, connections: 8, names: [0, NAMES], seconds: WARM_UP_SECONDS } as const;
    for (const protocol of ['http1', 'http2'] as const) await drive({ ...small, protocol });
    const figures: Figure[] = [];
    for (const [name, asked] of transfers) {
      const before = memoryMb(serving.pid);
      const over = new AbortController();
      const watching = watch(serving.pid, over.signal);
      const { ms } = await drive({ ...asked, connections: 1, names: [0, 1], seconds: 0 });
      over.abort();
      const most = await watching;
      const rate = (MEGABYTES / (ms / 1_000)).toFixed(0);
      process.stdout.write(
        `${name}: ${MEGABYTES} MB, ${rate} MB/s, from ${before.toFixed(0)} MB to ${most.toFixed(0)} MB\n`,
      );
      figures.push({ name: `origin/${name}-memory-mb`, ratio: most - before, bar: BAR_MB, isMaximum: true });
    }
    return figures;
  });
}

/** @returns the most that the processes had until the signal */
async function watch(pid: number, signal: AbortSignal): Promise<number> {
  let most = 0;
  while (!signal.aborted) {
    most = Math.max(most, memoryMb(pid));
    await sleep(INTERVAL_MS);
  }
  return most;
}
