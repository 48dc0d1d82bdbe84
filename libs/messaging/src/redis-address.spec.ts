import { describe, expect, it } from '@jest/globals';
import { parseRedisAddress } from './redis-address.js';

const nodes = [
  { host: 'a', port: 26_379 },
  { host: '::1', port: 7 },
];

describe('parseRedisAddress', () => {
  it.each([
    ['redis://cache:6379/1', { kind: 'single', url: 'redis://cache:6379/1' }],
    ['rediss://u:p@cache:6379', { kind: 'single', url: 'rediss://u:p@cache:6379' }],
    ['redis-sentinel://a:26379,[::1]:7/main', { kind: 'sentinel', name: 'main', nodes, hasTls: false }],
    [
      'rediss-sentinel://u:p%40@a:26379,[::1]:7/main?sentinelPassword=s',
      { kind: 'sentinel', name: 'main', nodes, username: 'u', password: 'p@', sentinelPassword: 's', hasTls: true },
    ],
    ['redis-cluster://:p@a:26379,[::1]:7', { kind: 'cluster', nodes, password: 'p', hasTls: false }],
  ])('parses %s', (text, address) => expect(parseRedisAddress(text)).toEqual(address));

  it.each([
    'http://cache:6379',
    'redis-sentinel://a:26379',
    'redis-sentinel://a/main',
    'redis-cluster://a:26379,b',
    'redis-cluster://a:99999',
    'redis-cluster://a:1/name',
  ])('refuses %s', (text) => expect(parseRedisAddress(text)).toBeNull());
});
