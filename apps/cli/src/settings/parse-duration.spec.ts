import { expect, it } from '@jest/globals';
import { parseDuration } from './parse-duration.js';

it.each([
  ['500ms', 500],
  ['90s', 90_000],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  ['0s', 0],
  ['10', null],
  ['m', null],
  ['-5s', null],
  ['10 m', null],
  ['1d', null],
  ['1000h', null],
])('%j is %j ms', (text, expected) => expect(parseDuration(text)).toBe(expected));
