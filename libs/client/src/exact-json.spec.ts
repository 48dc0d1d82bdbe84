import { describe, expect, it } from '@jest/globals';
import { parseExactly, parseMarked, stringifyMarked, stringifyWithBigInt } from './exact-json.js';

const engines = [
  ['with the digits of numbers', parseExactly, stringifyWithBigInt],
  ['as on Node 20', parseMarked, stringifyMarked],
] as const;

describe.each(engines)('%s', (_name, parse, stringify) => {
  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['1.5', 1.5],
    ['1e400', Infinity],
    ['"9007199254740993"', '9007199254740993'],
    ['"\\" 9007199254740993"', '" 9007199254740993'],
    ['9007199254740993.5', 9_007_199_254_740_994],
  ])('%s', (text, value) => expect(parse(text)).toBe(value));

  it('finds integers at any depth', () => {
    expect(parse('[{"id":9007199254740993,"name":"Rex"}]')).toEqual([{ id: 9_007_199_254_740_993n, name: 'Rex' }]);
  });

  it('reads what it has written', () => {
    const value = { id: 9_223_372_036_854_775_807n, tags: ['a'], none: null, small: 7 };
    expect(stringify(value)).toBe('{"id":9223372036854775807,"tags":["a"],"none":null,"small":7}');
    expect(parse(stringify(value))).toEqual(value);
  });

  it('refuses what is not JSON', () => expect(() => parse('{"id":9007199254740993')).toThrow(SyntaxError));
});
