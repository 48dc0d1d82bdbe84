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
  it('limits the connections of an address', () => {
    const quota = new ConnectionQuota(2, 10);
    const taken = ['a', 'a', 'a', 'b'].map((address) => quota.admit(connectionFrom(address)));
    expect(taken).toEqual([undefined, undefined, 'address', undefined]);
  });

  it('counts a /64 as one address', () => {
    const quota = new ConnectionQuota(1, 10);
    expect(quota.admit(connectionFrom('2001:db8::1'))).toBeUndefined();
    expect(quota.admit(connectionFrom('2001:db8::2'))).toBe('address');
    expect(quota.admit(connectionFrom('2001:db8:0:1::2'))).toBeUndefined();
  });

  it('frees the place of a closed connection', () => {
    const quota = new ConnectionQuota(1, 1);
    const first = connectionFrom('a');
    quota.admit(first);
    expect(quota.admit(connectionFrom('b'))).toBe('total');
    first.emit('close');
    expect(quota.open).toBe(0);
    expect(quota.admit(connectionFrom('a'))).toBeUndefined();
  });

  it('does not count refused connections', () => {
    const quota = new ConnectionQuota(1, 10);
    quota.admit(connectionFrom('a'));
    connectionFrom('a').emit('close');
    quota.admit(connectionFrom('a'));
    expect(quota.open).toBe(1);
  });

  it('evicts the oldest connection of the address with the most when all places are taken', async () => {
    const evicted: string[] = [];
    const quota = new ConnectionQuota(8, 4, () => evicted.push('one'));
    const [first, second, ...others] = ['a', 'a', 'a', 'b'].map(connectionFrom);
    for (const connection of [first, second, ...others]) if (connection !== undefined) quota.admit(connection);
    expect(quota.admit(connectionFrom('visitor'))).toBeUndefined();
    expect(first?.isReset).toBe(true);
    expect(second?.isReset).toBe(false);
    expect(evicted).toHaveLength(1);
    expect(quota.open).toBe(4);
    await new Promise((resolve) => setImmediate(resolve));
    expect(quota.open).toBe(4); // closing it does not free a second place
    expect(['a', 'b', 'visitor'].map((address) => quota.admit(connectionFrom(address)))).toEqual([
      'total',
      'total',
      'total',
    ]);
  });

  it('does not limit addresses when the limit is 0', () => {
    const quota = new ConnectionQuota(0, 3);
    expect(['a', 'a', 'a', 'a'].map((address) => quota.admit(connectionFrom(address)))).toEqual([
      undefined,
      undefined,
      undefined,
      'total',
    ]);
  });
});
