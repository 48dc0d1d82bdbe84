import { describe, expect, it } from '@jest/globals';
import { parseJsonBody, scanJson } from './json-body.js';

describe('scanJson', () => {
  it.each([
    ['{"a":1,"b":{"a":[2]}}', { depth: 3, members: 3, hasEscapes: false, hasUncommonNumbers: false }],
    ['{"a:{[":"b:1.5e3","c":true}', { depth: 1, members: 2, hasEscapes: false, hasUncommonNumbers: false }],
    ['{"a\\":":"\\\\"}', { depth: 1, members: 1, hasEscapes: true, hasUncommonNumbers: false }],
    ['[123456789012345]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: false }],
    ['[1234567890123456]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: true }],
    ['[1.0]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: true }],
    ['[1E2]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: true }],
  ])('finds in %s %j', (text, scan) => expect(scanJson(text)).toEqual(scan));

  it.each(['"', '"\\', '{"a', ']]]'])('terminates on %j, which is not JSON', (text) =>
    expect(() => scanJson(text)).not.toThrow(),
  );

  it('counts the depth of a hostile text without recursion', () =>
    expect(scanJson('['.repeat(60_000)).depth).toBe(60_000));
});

it('ignores a byte order mark before a body, and nowhere else', () => {
  expect(parseJsonBody(Buffer.from('\ufeff{"a":"\ufeff"}'))).toEqual({ a: '\ufeff' });
  expect(() => parseJsonBody(Buffer.from('\ufeff\ufeff{}'))).toThrow('not valid JSON');
});

describe('a body with more values than any operation takes', () => {
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_member, i) => [`k${i}`, 1]));
  it.each<[string, unknown, RegExp | null]>([
    ['one object', { metadata: members(201) }, /object of more than 200 members/],
    ['one array', Array.from({ length: 10_001 }, () => 0), /array of more than 10000 items/],
    ['all objects together', Array.from({ length: 101 }, () => members(200)), /more than 20000 members/],
    ['none of them', Array.from({ length: 100 }, () => members(200)), null],
  ])('is refused before a schema reports each of them: %s', (_title, value, message) => {
    const parse = () => parseJsonBody(Buffer.from(JSON.stringify(value)));
    if (message === null) expect(parse()).toEqual(value);
    else expect(parse).toThrow(message);
  });
});
