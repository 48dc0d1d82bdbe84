import { describe, expect, it } from '@jest/globals';
import { AcmeNonces } from './acme-server.js';

describe('AcmeNonces', () => {
  it('returns each nonce once, the newest first', () => {
    const nonces = new AcmeNonces();
    nonces.put('first');
    nonces.put('second');
    expect(nonces.take()).toBe('second');
    expect(nonces.take()).toBe('first');
    expect(nonces.take()).toBeUndefined();
  });

  it('drops nonces after two minutes', () => {
    let now = 0;
    const nonces = new AcmeNonces(() => now);
    nonces.put('old');
    now = 60_000;
    nonces.put('young');
    now = 120_000;
    expect(nonces.take()).toBe('young');
    expect(nonces.take()).toBeUndefined();
  });

  it('keeps at most a hundred', () => {
    const nonces = new AcmeNonces();
    for (let n = 1; n <= 150; n += 1) nonces.put(`n-${n}`);
    const taken: string[] = [];
    for (let nonce = nonces.take(); nonce !== undefined; nonce = nonces.take()) taken.push(nonce);
    expect(taken).toHaveLength(100);
    expect(taken.at(-1)).toBe('n-51');
  });

  it('is empty after clear', () => {
    const nonces = new AcmeNonces();
    nonces.put('n-1');
    nonces.clear();
    expect(nonces.take()).toBeUndefined();
  });
});
