import { describe, expect, it } from '@jest/globals';
import { parseExactly, stringifyWithBigInt } from './exact-json.js';

describe('reading', () => {
  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['1.5', 1.5],
    ['1e400', Infinity],
    ['"9007199254740993"', '9007199254740993'],
  ])('%s', (text, value) => expect(parseExactly(text)).toBe(value));

  it('finds integers at any depth', () => {
    expect(parseExactly('[{"id":9007199254740993,"name":"Rex"}]')).toEqual([
      { id: 9_007_199_254_740_993n, name: 'Rex' },
    ]);
  });
});

it('what is written is read the same', () => {
  const value = { id: 9_223_372_036_854_775_807n, tags: ['a'], none: null, small: 7 };
  expect(stringifyWithBigInt(value)).toBe('{"id":9223372036854775807,"tags":["a"],"none":null,"small":7}');
  expect(parseExactly(stringifyWithBigInt(value))).toEqual(value);
});
