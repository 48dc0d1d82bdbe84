import { describe, expect, it } from '@jest/globals';
import { ExpiringMap } from './expiring-map.js';

describe('an expiring map', () => {
  it('forgets an entry when its time is over, counted from when it was set', () => {
    let now = 0;
    const map = new ExpiringMap<string, number>({ lifetimeMs: 1_000, maxEntries: 10, clock: () => now });
    map.set('a', 1);
    now = 999;
    expect(map.get('a')).toBe(1);
    now = 1_000;
    expect(map.get('a')).toBeUndefined();
  });

  it('drops the oldest entry when it is full, and setting anew makes an entry young', () => {
    const map = new ExpiringMap<string, number>({ lifetimeMs: 1_000, maxEntries: 2, clock: () => 0 });
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([3, undefined, 4]);
  });
});
