import { describe, expect, it } from '@jest/globals';
import type { Messaging } from '@pets/messaging';
import { FactEmitter } from './fact-emitter.js';

const fact = { directoryUrl: 'https://ca.test/dir', accountUrl: 'https://ca.test/1', thumbprint: 't' };

function emitterThatIsRefused(times: number): { emitter: FactEmitter; calls: () => number } {
  let calls = 0;
  const emit = async () => {
    calls += 1;
    if (calls <= times) throw new Error('away');
  };
  // Only `events` of messaging is used.
  return { emitter: new FactEmitter({ events: { emit } } as unknown as Messaging), calls: () => calls };
}

describe('FactEmitter', () => {
  it('retries when the fact could not be stored', async () => {
    const { emitter, calls } = emitterThatIsRefused(2);
    await emitter.emit('account.ready', fact, new AbortController().signal);
    expect(calls()).toBe(3);
  });

  it('throws after the last attempt, so that the work is dispatched again', async () => {
    const { emitter } = emitterThatIsRefused(99);
    await expect(emitter.emit('account.ready', fact, new AbortController().signal)).rejects.toThrow('away');
  });

  it('makes one last attempt after the job was aborted', async () => {
    const { emitter, calls } = emitterThatIsRefused(99);
    await expect(emitter.emit('account.ready', fact, AbortSignal.abort())).rejects.toThrow('away');
    expect(calls()).toBe(1);
  });
});
