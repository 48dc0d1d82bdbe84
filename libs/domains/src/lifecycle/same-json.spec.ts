import { expect, it } from '@jest/globals';
import { isSameJson } from './same-json.js';

it.each<[string, unknown, unknown, boolean]>([
  ['numbers', 1, 1, true],
  ['other numbers', 1, 2, false],
  ['a number and its text', 1, '1', false],
  ['null and null', null, null, true],
  ['null and an object', null, {}, false],
  ['members in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['members in another order, further inside', [{ a: { c: 3, b: [2] } }], [{ a: { b: [2], c: 3 } }], true],
  ['three members in two orders', { c: 1, a: 2, b: 3 }, { b: 3, c: 1, a: 2 }, true],
  ['another member', { a: 1 }, { b: 1 }, false],
  ['a member more', { a: 1 }, { a: 1, b: 2 }, false],
  ['another value of a member', { a: 1 }, { a: 2 }, false],
  ['a member that is undefined, which JSON leaves out', { a: 1, b: undefined }, { a: 1 }, true],
  ['elements in another order', [1, 2], [2, 1], false],
  ['an array and an object with its elements', [1], { 0: 1 }, false],
  ['members that are null', { b: null, a: 1 }, { a: 1, b: null }, true],
])('%s are the same JSON: %j, %j', (_name, one, other, areSame) => {
  expect(isSameJson(one, other)).toBe(areSame);
  expect(isSameJson(other, one)).toBe(areSame);
});
