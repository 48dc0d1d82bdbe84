import { describe, expect, it } from '@jest/globals';
import { entityTag, matchesEntityTag } from './entity-tag.js';

describe('entityTag', () => {
  it('differs by content and by path', () => {
    const tags = [entityTag('a', 'x'), entityTag('b', 'x'), entityTag('a', 'y')];
    expect(new Set(tags).size).toBe(3);
    expect(tags[0]).toMatch(/^"[\w-]{43}"$/);
  });
});

describe('matchesEntityTag', () => {
  it.each([
    [undefined, false],
    ['"t"', true],
    ['W/"t"', true],
    ['"a", "t"', true],
    ['*', true],
    ['"a"', false],
    ['t', false],
    ['', false],
  ])('%j: %s', (header, expected) => expect(matchesEntityTag(header, '"t"')).toBe(expected));
});
