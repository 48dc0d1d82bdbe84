import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GCProfiler, getHeapStatistics } from 'node:v8';

/**
 * `--import heap-probe-main.js?folder=FOLDER`: counts what a process allocates between two SIGUSR2, and writes the bytes to
 * `FOLDER/PID`. V8 tells how much each collection of garbage freed; what is in use at both ends is added.
 */
const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';
let begun: { readonly profiler: GCProfiler; readonly usedBytes: number } | undefined;

process.on('SIGUSR2', () => {
  if (begun === undefined) {
    const profiler = new GCProfiler();
    profiler.start();
    begun = { profiler, usedBytes: getHeapStatistics().used_heap_size };
    return write('begun');
  }
  const { statistics } = begun.profiler.stop();
  const freed = statistics.reduce(
    (sum, { beforeGC, afterGC }) => sum + beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
    0,
  );
  write(String(getHeapStatistics().used_heap_size - begun.usedBytes + freed));
  begun = undefined;
});

/** Complete when it appears. */
function write(text: string): void {
  const path = join(folder, String(process.pid));
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}
