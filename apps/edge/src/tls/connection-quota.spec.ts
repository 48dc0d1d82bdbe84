import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ConnectionQuota } from './connection-quota.js';

function connectionFrom(remoteAddress: string) {
  return Object.assign(new EventEmitter(), { remoteAddress });
}

type Fake = ReturnType<typeof connectionFrom>;

const makeQuota = (maxPerAddress: number, maxTotal: number, evict: (connection: Fake) => void = () => undefined) =>
  new ConnectionQuota<Fake>(maxPerAddress, maxTotal, evict);

describe('ConnectionQuota', () => {
  it('limits the connections of an address', () => {
    const quota = makeQuota(2, 10);
    const taken = ['a', 'a', 'a', 'b'].map((address) => quota.admit(connectionFrom(address)));
    expect(taken).toEqual([undefined, undefined, 'address', undefined]);
  });

  it('counts a /64 as one address', () => {
    const quota = makeQuota(1, 10);
    expect(quota.admit(connectionFrom('2001:db8::1'))).toBeUndefined();
    expect(quota.admit(connectionFrom('2001:db8::2'))).toBe('address');
    expect(quota.admit(connectionFrom('2001:db8:0:1::2'))).toBeUndefined();
  });

  it('frees the place of a closed connection', () => {
    const quota = makeQuota(1, 1);
    const first = connectionFrom('a');
    quota.admit(first);
    expect(quota.admit(connectionFrom('b'))).toBe('total');
    first.emit('close');
    expect(quota.open).toBe(0);
    expect(quota.admit(connectionFrom('a'))).toBeUndefined();
  });

  it('does not count refused connections', () => {
    const quota = makeQuota(1, 10);
    quota.admit(connectionFrom('a'));
    connectionFrom('a').emit('close');
    quota.admit(connectionFrom('a'));
    expect(quota.open).toBe(1);
  });

  it('evicts the oldest connection of the address with the most when all places are taken', async () => {
    const evicted: Fake[] = [];
    const quota = makeQuota(8, 4, (connection) => {
      evicted.push(connection);
      setImmediate(() => connection.emit('close'));
    });
    const connections = ['a', 'a', 'a', 'b'].map(connectionFrom);
    for (const connection of connections) quota.admit(connection);
    expect(quota.admit(connectionFrom('visitor'))).toBeUndefined();
    expect(evicted).toEqual(connections.slice(0, 1));
    expect(quota.open).toBe(4);
    await new Promise((resolve) => setImmediate(resolve));
    expect(quota.open).toBe(4); // closing it does not free a second place
    expect(['a', 'b', 'visitor'].map((address) => quota.admit(connectionFrom(address)))).toEqual([
      'total',
      'total',
      'total',
    ]);
  });

  it('ends long requests first when all places are taken', () => {
    let long = 1;
    const evicted: unknown[] = [];
    const quota = new ConnectionQuota<ReturnType<typeof connectionFrom>>(
      0,
      2,
      (connection) => evicted.push(connection),
      () => long-- > 0,
    );
    const admitted = ['a', 'b', 'c', 'd'].map((address) => quota.admit(connectionFrom(address)));
    expect(admitted).toEqual([undefined, undefined, undefined, 'total']);
    expect(evicted).toEqual([]);
  });

  it('does not limit addresses when the limit is 0', () => {
    const quota = makeQuota(0, 3);
    expect(['a', 'a', 'a', 'a'].map((address) => quota.admit(connectionFrom(address)))).toEqual([
      undefined,
      undefined,
      undefined,
      'total',
    ]);
  });
});
