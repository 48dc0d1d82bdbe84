import { describe, expect, it } from '@jest/globals';
import { AcmeNonces } from './acme-nonces.js';

describe('AcmeNonces', () => {
  it('gives each nonce out once, the youngest first', () => {
    const nonces = new AcmeNonces();
    nonces.put('first');
    nonces.put('second');
    expect([nonces.take(), nonces.take(), nonces.take()]).toEqual(['second', 'first', undefined]);
  });

  it('drops what is two minutes old', () => {
    let now = 0;
    const nonces = new AcmeNonces(() => now);
    nonces.put('old');
    now = 60_000;
    nonces.put('young');
    now = 120_000;
    expect([nonces.take(), nonces.take()]).toEqual(['young', undefined]);
  });

  it('keeps a hundred at most', () => {
    const nonces = new AcmeNonces();
    for (let n = 1; n <= 150; n += 1) nonces.put(`n-${n}`);
    const taken: string[] = [];
    for (let nonce = nonces.take(); nonce !== undefined; nonce = nonces.take()) taken.push(nonce);
    expect(taken).toHaveLength(100);
    expect(taken.at(-1)).toBe('n-51');
  });

  it('has none left after one was refused', () => {
    const nonces = new AcmeNonces();
    nonces.put('n-1');
    nonces.clear();
    expect(nonces.take()).toBeUndefined();
  });
});
