import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ConnectionQuota } from './connection-quota.js';

function connectionFrom(remoteAddress: string) {
  return Object.assign(new EventEmitter(), { remoteAddress });
}

describe('ConnectionQuota', () => {
  it('gives an address its places, and no more', () => {
    const quota = new ConnectionQuota(2, 10);
    const taken = ['a', 'a', 'a', 'b'].map((address) => quota.take(connectionFrom(address)));
    expect(taken).toEqual([undefined, undefined, 'address', undefined]);
  });

  it('counts a /64 as one address', () => {
    const quota = new ConnectionQuota(1, 10);
    expect(quota.take(connectionFrom('2001:db8::1'))).toBeUndefined();
    expect(quota.take(connectionFrom('2001:db8::2'))).toBe('address');
    expect(quota.take(connectionFrom('2001:db8:0:1::2'))).toBeUndefined();
  });

  it('gives a place again when its connection has closed', () => {
    const quota = new ConnectionQuota(1, 1);
    const first = connectionFrom('a');
    quota.take(first);
    expect(quota.take(connectionFrom('b'))).toBe('total');
    first.emit('close');
    expect([quota.open, quota.take(connectionFrom('a'))]).toEqual([0, undefined]);
  });

  it('does not count what it refused', () => {
    const quota = new ConnectionQuota(1, 10);
    quota.take(connectionFrom('a'));
    connectionFrom('a').emit('close');
    quota.take(connectionFrom('a'));
    expect(quota.open).toBe(1);
  });

  it('limits no address at 0', () => {
    const quota = new ConnectionQuota(0, 3);
    expect(['a', 'a', 'a', 'a'].map((address) => quota.take(connectionFrom(address)))).toEqual([
      undefined,
      undefined,
      undefined,
      'total',
    ]);
  });
});
