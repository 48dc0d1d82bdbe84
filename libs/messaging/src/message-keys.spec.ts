import { describe, expect, it } from '@jest/globals';
import { findKeyFault } from './message-keys.js';

const ring = (...fills: number[]) => ({
  activeId: 'k0',
  keys: new Map(fills.map((fill, index) => [`k${index}`, Buffer.alloc(32, fill)])),
});

describe('findKeyFault', () => {
  it('accepts keys of both directions', () => {
    expect(findKeyFault({ QUEUE_KEYS_JOBS: ring(1, 2), QUEUE_KEYS_EVENTS: ring(3) })).toBeNull();
  });

  it('refuses a key that both share, whatever its place', () => {
    const fault = findKeyFault({ QUEUE_KEYS_JOBS: ring(1, 2), QUEUE_KEYS_EVENTS: ring(3, 2) });
    expect(fault?.name).toBe('QUEUE_KEYS_EVENTS');
  });
});
