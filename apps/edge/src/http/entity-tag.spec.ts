import { describe, expect, it } from '@jest/globals';
import { entityTag, matchesStrongly, matchesWeakly } from './entity-tag.js';

describe('entityTag', () => {
  it('differs by each part', () => {
    const tags = [entityTag('a', 'x'), entityTag('b', 'x'), entityTag('a', 'y'), entityTag('a', 'x', 'br')];
    expect(new Set(tags).size).toBe(4);
    expect(tags[0]).toMatch(/^"[\w-]{43}"$/);
  });
});

describe('a list of tags', () => {
  it.each([
    ['"t"', true, true],
    ['W/"t"', true, false],
    ['"a", "t"', true, true],
    ['"a","b,c" ,\t"t"', true, true],
    ['"a,"t"', false, false],
    ['*', true, true],
    [' * ', true, true],
    ['"*"', false, false],
    ['"a"', false, false],
    ['"T"', false, false],
    ['w/"t"', true, true],
    ['t', false, false],
    ['', false, false],
  ])('%j matches weakly: %s, strongly: %s', (list, isWeak, isStrong) => {
    expect([matchesWeakly(list, '"t"'), matchesStrongly(list, '"t"')]).toEqual([isWeak, isStrong]);
  });
});
