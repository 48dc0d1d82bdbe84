import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../http/principal.js';
import { PrincipalCache } from './authenticator.js';

const hash = Buffer.alloc(32);
const nobody = async (): Promise<Principal | null> => null;
const unexpected = (): never => {
  throw new Error('looked up again');
};

describe('the cache of keys', () => {
  it('looks a key up once for all requests that come together', async () => {
    const cache = new PrincipalCache();
    expect(await Promise.all([cache.find(hash, nobody), cache.find(hash, unexpected)])).toEqual([null, null]);
    expect(await cache.find(hash, unexpected)).toBeNull();
  });

  it('keeps no failure', async () => {
    const cache = new PrincipalCache();
    await expect(cache.find(hash, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await cache.find(hash, nobody)).toBeNull();
  });

  it('does not keep what was being looked up when all was forgotten', async () => {
    const cache = new PrincipalCache();
    const { promise, resolve } = Promise.withResolvers<null>();
    const before = cache.find(hash, () => promise);
    cache.forgetAll();
    resolve(null);
    await before;
    await expect(cache.find(hash, async () => unexpected())).rejects.toThrow('looked up again');
  });
});
