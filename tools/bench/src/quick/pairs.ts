import { median, spread } from '../figure.js';
import type { Reading } from './reading.js';

/** CPU seconds for one unit of work, by process. */
export type CpuTimes = Readonly<Record<string, number>>;

/** The same work done by ours and by a peer, at the same time or one after the other. */
export interface Pair {
  readonly ours: CpuTimes;
  readonly peer: CpuTimes;
}

const PAIRS = 5;

/**
 * Measures pairs, after one that warms up. The cost of each of our processes is its CPU time over that of the peer's process
 * with the same name, or of all processes of the peer where none has it.
 */
export async function measurePairs(operation: string, measurePair: () => Promise<Pair>): Promise<readonly Reading[]> {
  await measurePair();
  const pairs: Pair[] = [];
  for (let pair = 0; pair < PAIRS; pair++) pairs.push(await measurePair());
  return costsOf(operation, pairs);
}

export function costsOf(operation: string, pairs: readonly Pair[]): readonly Reading[] {
  const names = Object.keys(pairs[0]?.ours ?? {});
  return names.map((name) => {
    const ratios = pairs.map(({ ours, peer }) => (ours[name] ?? Number.NaN) / (peer[name] ?? total(peer)));
    const figure = `${operation}/${name}`;
    if (!ratios.every(Number.isFinite)) return { kind: 'unmeasured', name: figure, reason: 'no CPU time to divide by' };
    return { kind: 'cost', name: figure, ratio: median(ratios), spread: spread(ratios) };
  });
}

function total(times: CpuTimes): number {
  return Object.values(times).reduce((sum, seconds) => sum + seconds, 0);
}
