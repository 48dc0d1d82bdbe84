import { describe, expect, it } from '@jest/globals';
import { readAcceptEncoding } from './accept-encoding.js';

describe('readAcceptEncoding', () => {
  const little = Number.MIN_VALUE;

  it.each([
    [undefined, { br: 0, gzip: 0, identity: little }],
    ['', { br: 0, gzip: 0, identity: little }],
    ['gzip, deflate, br, zstd', { br: 1, gzip: 1, identity: little }],
    ['GZIP', { br: 0, gzip: 1, identity: little }],
    ['x-gzip', { br: 0, gzip: 1, identity: little }],
    ['br;q=0.5, gzip ; q=0.8', { br: 0.5, gzip: 0.8, identity: little }],
    ['gzip;q=0', { br: 0, gzip: 0, identity: little }],
    ['*', { br: 1, gzip: 1, identity: little }],
    ['br;q=0, *;q=0.3', { br: 0, gzip: 0.3, identity: little }],
    ['identity', { br: 0, gzip: 0, identity: 1 }],
    ['identity;q=1, *;q=0', { br: 0, gzip: 0, identity: 1 }],
    ['identity;q=0', { br: 0, gzip: 0, identity: 0 }],
    ['gzip, identity;q=0', { br: 0, gzip: 1, identity: 0 }],
    ['*;q=0', { br: 0, gzip: 0, identity: 0 }],
    ['gzip;q=2, br;level=3, ;;', { br: 0, gzip: 0, identity: little }],
  ])('%j', (header, acceptance) => expect(readAcceptEncoding(header)).toEqual(acceptance));
});
