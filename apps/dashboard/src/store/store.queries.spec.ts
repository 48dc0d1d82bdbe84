import { expect, it } from '@jest/globals';
import { parseInteger } from './store.queries.js';

it.each([
  ['7', 7],
  [' 12 ', 12],
  ['-3', -3],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  ['9223372036854775808', null],
  ['-9223372036854775809', null],
  ['1.5', null],
  ['1e3', null],
  ['', null],
  ['seven', null],
])('parseInteger(%j)', (text, value) => expect(parseInteger(text)).toBe(value));
