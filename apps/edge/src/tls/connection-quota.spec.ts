import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ConnectionQuota } from './connection-quota.js';

function connectionFrom(remoteAddress: string) {
  return Object.assign(new EventEmitter(), { remoteAddress, isReset: false, resetAndDestroy });
}

function resetAndDestroy(this: EventEmitter & { isReset: boolean }): void {
  this.isReset = true;
  setImmediate(() => this.emit('close'));
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

  it('gives a place of the address that has the most to one that has fewer, when all are taken', async () => {
    const evicted: string[] = [];
    const quota = new ConnectionQuota(8, 4, () => evicted.push('one'));
    const [first, second, ...others] = ['a', 'a', 'a', 'b'].map(connectionFrom);
    for (const connection of [first, second, ...others]) if (connection !== undefined) quota.take(connection);
    expect(quota.take(connectionFrom('visitor'))).toBeUndefined();
    expect([first?.isReset, second?.isReset, evicted, quota.open]).toEqual([true, false, ['one'], 4]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(quota.open).toBe(4); // its close is not counted again
    expect(['a', 'b', 'visitor'].map((address) => quota.take(connectionFrom(address)))).toEqual([
      'total',
      'total',
      'total',
    ]);
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
