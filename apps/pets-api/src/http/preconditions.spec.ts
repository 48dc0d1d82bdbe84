import { describe, expect, it } from '@jest/globals';
import { evaluatePreconditions } from './preconditions.js';

const ETAG = '"v2"';

describe('If-Match', () => {
  it.each([
    ['*', 'holds'],
    ['"v2"', 'holds'],
    ['"v1", "v2"', 'holds'],
    ['"v1","v2"', 'holds'],
    ['"v1"', 'failed'],
    ['W/"v2"', 'failed'],
    ['v2', 'failed'],
    ['', 'failed'],
  ])('%s', (ifMatch, verdict) => {
    for (const isRead of [true, false])
      expect(evaluatePreconditions({ ifMatch, ifNoneMatch: undefined }, ETAG, isRead)).toBe(verdict);
  });
});

describe('If-None-Match', () => {
  it.each([
    ['*', 'not_modified'],
    ['"v2"', 'not_modified'],
    ['W/"v2"', 'not_modified'],
    ['"v1", W/"v2"', 'not_modified'],
    ['"v1"', 'holds'],
    ['v2', 'holds'],
  ])('%s', (ifNoneMatch, verdict) => {
    expect(evaluatePreconditions({ ifMatch: undefined, ifNoneMatch }, ETAG, true)).toBe(verdict);
  });

  it('refuses a write to what the client says is not there', () => {
    expect(evaluatePreconditions({ ifMatch: undefined, ifNoneMatch: '*' }, ETAG, false)).toBe('failed');
  });
});

it('asks nothing of a request that asks nothing', () => {
  expect(evaluatePreconditions({ ifMatch: undefined, ifNoneMatch: undefined }, ETAG, false)).toBe('holds');
});

it('puts If-Match first', () => {
  expect(evaluatePreconditions({ ifMatch: '"v1"', ifNoneMatch: ETAG }, ETAG, true)).toBe('failed');
});
