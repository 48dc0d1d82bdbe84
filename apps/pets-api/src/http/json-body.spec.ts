import { describe, expect, it } from '@jest/globals';
import { scanJson } from './json-body.js';

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
