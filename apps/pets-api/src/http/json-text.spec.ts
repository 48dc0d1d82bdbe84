import { describe, expect, it } from '@jest/globals';
import { stringifyWithBigInt } from './json-body.js';

describe('stringifyExactly', () => {
  it('writes every digit of a bigint, at any depth', () => {
    expect(stringifyWithBigInt([{ a: { b: [1n, -9223372036854775808n] } }, 9007199254740993n])).toBe(
      '[{"a":{"b":[1,-9223372036854775808]}},9007199254740993]',
    );
  });

  it.each([[null], ['text'], [[undefined, 1]], [{ a: undefined, at: new Date(0), list: [] }], [[]], [{}]])(
    'writes %j as JSON.stringify does',
    (value) => expect(stringifyWithBigInt(value)).toBe(JSON.stringify(value)),
  );

  it('changes nothing of what it is given', () => {
    const row = Object.freeze({ id: 1n, tags: Object.freeze([2n]) });
    stringifyWithBigInt(row);
    expect(row).toEqual({ id: 1n, tags: [2n] });
  });
});
