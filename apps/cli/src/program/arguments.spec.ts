import { describe, expect, it } from '@jest/globals';
import { parseDuration } from './arguments.js';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1.5h', 5_400_000],
    ['0s', 0],
  ])('parses %j as %j ms', (text, expected) => expect(parseDuration(text)).toBe(expected));

  it.each(['10', 'm', '-5s', '10 m', '1d', '1000h'])('rejects %j', (text) =>
    expect(() => parseDuration(text)).toThrow('such as 90s'),
  );
});
