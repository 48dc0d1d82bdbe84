import { describe, expect, it } from '@jest/globals';
import type { NotificationListener } from '@pets/persistence';
import { AcknowledgementPoll, type AwaitedVersions } from './edge-acks.js';
import type { EdgeProgress } from './edge-feed.repository.js';

/** Edges whose reading can be counted, and that acknowledge when a test says so. */
function fixture() {
  const wakes = new Set<() => void>();
  const state = { applied: 0, reads: 0, isReading: 0, mostReads: 0, announced: [] as number[] };
  const listProgress = async (): Promise<EdgeProgress[]> => {
    state.reads += 1;
    state.isReading += 1;
    state.mostReads = Math.max(state.mostReads, state.isReading);
    await new Promise((resolve) => setImmediate(resolve));
    state.isReading -= 1;
    return [{ edgeId: 'e', appliedVersion: state.applied, isReachable: true, mayServe: true }];
  };
  const next = (_channel: string, limitMs: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      const wake = () => {
        clearTimeout(timer);
        resolve();
      };
      wakes.add(wake);
      signal?.addEventListener('abort', wake);
    });
  const awaited = { announce: async (versions: readonly number[]) => void state.announced.push(...versions) };
  const poll = new AcknowledgementPoll(
    { listProgress },
    awaited as unknown as AwaitedVersions, // only this method is used
    { next } as unknown as NotificationListener, // only this method is used
    60,
  );
  const acknowledge = (version: number) => {
    state.applied = version;
    for (const wake of wakes) wake();
  };
  return { poll, state, acknowledge };
}

const applied = (version: number) => (edges: readonly EdgeProgress[]) =>
  edges.every(({ appliedVersion }) => appliedVersion >= version);

describe('the poll for acknowledgements', () => {
  it('reads the edges once for all who wait, one statement at a time', async () => {
    const { poll, state, acknowledge } = fixture();
    const waits = Array.from({ length: 300 }, (_, index) =>
      poll.wait(1 + (index % 3), applied(1 + (index % 3)), 60_000),
    );
    while (new Set(state.announced).size < 3) await new Promise((resolve) => setImmediate(resolve));
    const before = state.reads;
    acknowledge(3);
    await Promise.all(waits);
    expect(state.mostReads).toBe(1);
    expect(before).toBeLessThanOrEqual(5);
    expect(new Set(state.announced)).toEqual(new Set([1, 2, 3]));
  });

  it('ends a wait at its limit with what the edges had then', async () => {
    const { poll } = fixture();
    expect(await poll.wait(5, applied(5), 1)).toMatchObject([{ edgeId: 'e', appliedVersion: 0 }]);
    // A later wait starts over.
    expect(await poll.wait(5, applied(5), 1)).toHaveLength(1);
  });
});
