import { describe, expect, it } from '@jest/globals';
import type { EdgeAck } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { Acknowledger } from './acknowledger.js';

function setUp() {
  const sent: { version: number; answer: (error?: Error) => void }[] = [];
  const taken: number[] = [];
  const now = { version: 1, atMs: 1_000 };
  const api = {
    acknowledge: (ack: EdgeAck) =>
      new Promise<void>((resolve, reject) => {
        sent.push({ version: ack.version, answer: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
  };
  const describeEdge = () => ({
    edgeId: 'edge-0001',
    epoch: 'e',
    version: now.version,
    httpAddress: 'h:1',
    httpsAddress: 'h:2',
  });
  const acknowledger = new Acknowledger(
    api,
    describeEdge,
    (at) => taken.push(at),
    () => now.atMs,
    createLogger('test', 'silent'),
  );
  return { acknowledger, sent, taken, now };
}

describe('Acknowledger', () => {
  it('sends one at a time, and the next says the newest version', async () => {
    const { acknowledger, sent, now } = setUp();
    const first = acknowledger.acknowledge();
    now.version = 2;
    const second = acknowledger.acknowledge();
    now.version = 3;
    const third = acknowledger.acknowledge();
    expect(sent.map(({ version }) => version)).toEqual([1]);
    sent[0]?.answer();
    expect(await first).toBe(true);
    await Promise.resolve();
    expect(sent.map(({ version }) => version)).toEqual([1, 3]);
    sent[1]?.answer();
    expect(await Promise.all([second, third])).toEqual([true, true]);
  });

  it('reports the time of sending, not of the answer', async () => {
    const { acknowledger, sent, taken, now } = setUp();
    const first = acknowledger.acknowledge();
    now.atMs = 2_000;
    sent[0]?.answer();
    await first;
    expect(taken).toEqual([1_000]);
  });

  it('continues after a refusal', async () => {
    const { acknowledger, sent, taken } = setUp();
    const first = acknowledger.acknowledge();
    sent[0]?.answer(new Error('down'));
    expect(await first).toBe(false);
    const second = acknowledger.acknowledge();
    sent[1]?.answer();
    expect(await second).toBe(true);
    expect(taken).toHaveLength(1);
  });
});
