import { expect, it } from '@jest/globals';
import { scanJson } from './scan-json.js';

it.each([
  ['{"a":1,"b":{"a":[2]}}', { depth: 3, members: 3, hasEscapes: false, hasUncommonNumbers: false }],
  ['{"a:{[":"b:1.5e3","c":true}', { depth: 1, members: 2, hasEscapes: false, hasUncommonNumbers: false }],
  ['{"a\\":":"\\\\"}', { depth: 1, members: 1, hasEscapes: true, hasUncommonNumbers: false }],
  ['[123456789012345]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: false }],
  ['[1234567890123456]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: true }],
  ['[1.0]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: true }],
  ['[1E2]', { depth: 1, members: 0, hasEscapes: false, hasUncommonNumbers: true }],
])('sees in %s %j', (text, survey) => expect(scanJson(text)).toEqual(survey));

it.each(['"', '"\\', '{"a', ']]]'])('comes to an end on %j, which is no JSON', (text) =>
  expect(() => scanJson(text)).not.toThrow(),
);

it('counts how deep a hostile text goes without going there', () =>
  expect(scanJson('['.repeat(60_000)).depth).toBe(60_000));
