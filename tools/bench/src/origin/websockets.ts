import { setTimeout as sleep } from 'node:timers/promises';
import type { Ground } from '../edge/contestant.js';
import { memoryMb } from '../engine/processes.js';
import type { Figure } from '../figure.js';
import { originSettings } from '../settings.js';
import { floor, NAMES, ours, withRunners } from './contestants.js';
import { hold } from './origin-driver.js';

const { BENCH_ORIGIN_WEBSOCKETS: WEBSOCKETS } = originSettings;

/** A project has at most a quarter of the places of a process. */
const ORIGINS = 10;
/** Time in which what the handshakes have left behind is collected. */
const SETTLE_MS = 5_000;
const BAR = 1.2;

/** Memory of all processes (PSS) with idle WebSockets through them. */
export async function measureWebSockets(ground: Ground): Promise<Figure[]> {
  const memory = new Map<string, number>();
  for (const forwarder of [ours(ORIGINS), floor]) {
    await withRunners(ground, [forwarder], async ([runner]) => {
      if (runner === undefined) return;
      const { pid, port } = runner.serving;
      const before = memoryMb(pid);
      const end = await hold({ port, kind: 'websocket', connections: WEBSOCKETS, names: [0, NAMES] });
      await sleep(SETTLE_MS);
      const during = memoryMb(pid);
      await end();
      memory.set(runner.name, during);
      print(
        `${runner.name}: ${before.toFixed(0)} MB without, ${during.toFixed(0)} MB with ${WEBSOCKETS} idle WebSockets`,
      );
    });
  }
  const ratio = (memory.get('ours') ?? Number.NaN) / (memory.get('floor') ?? Number.NaN);
  return [{ name: `origin/memory-${WEBSOCKETS}-websockets/floor`, ratio, bar: BAR, isMaximum: true }];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
