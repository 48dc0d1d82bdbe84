import { expect, it } from '@jest/globals';
import { cachingResolver } from './visits.js';

it('keeps an address for its TTL, and asks again afterwards', async () => {
  let now = 0;
  const answers = ['192.0.2.1', '192.0.2.2'];
  const resolve = cachingResolver(
    () => Promise.resolve({ address: answers.shift() ?? 'none', ttlSeconds: 20 }),
    () => now,
  );
  expect(await Promise.all([resolve('a.example'), resolve('a.example')])).toEqual(['192.0.2.1', '192.0.2.1']);
  now = 19_999;
  expect(await resolve('a.example')).toBe('192.0.2.1');
  now = 20_000;
  expect(await resolve('a.example')).toBe('192.0.2.2');
});

it('does not keep a failure', async () => {
  const answers = [Promise.reject(new Error('SERVFAIL')), Promise.resolve({ address: '192.0.2.1', ttlSeconds: 20 })];
  const resolve = cachingResolver(() => answers.shift() ?? Promise.reject(new Error('asked again')));
  await expect(resolve('a.example')).rejects.toThrow('SERVFAIL');
  expect(await resolve('a.example')).toBe('192.0.2.1');
});
