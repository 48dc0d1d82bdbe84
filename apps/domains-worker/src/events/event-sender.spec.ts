import { describe, expect, it } from '@jest/globals';
import type { Messaging } from '@pets/messaging';
import { EventSender } from './event-sender.js';

const event = { directoryUrl: 'https://ca.test/dir', accountUrl: 'https://ca.test/1', thumbprint: 't' };

function failingSender(times: number): { sender: EventSender; calls: () => number } {
  let calls = 0;
  const emit = async () => {
    calls += 1;
    if (calls <= times) throw new Error('away');
  };
  // Only `events` of messaging is used.
  return { sender: new EventSender({ events: { emit } } as unknown as Messaging), calls: () => calls };
}

describe('FactEmitter', () => {
  it('retries when the event could not be stored', async () => {
    const { sender, calls } = failingSender(2);
    await sender.send('account.ready', event, new AbortController().signal);
    expect(calls()).toBe(3);
  });

  it('throws after the last attempt, so that the work is dispatched again', async () => {
    const { sender } = failingSender(99);
    await expect(sender.send('account.ready', event, new AbortController().signal)).rejects.toThrow('away');
  });

  it('makes one last attempt after the job was aborted', async () => {
    const { sender, calls } = failingSender(99);
    await expect(sender.send('account.ready', event, AbortSignal.abort())).rejects.toThrow('away');
    expect(calls()).toBe(1);
  });
});
