import { describe, expect, it } from '@jest/globals';
import { parseIdempotencyKey } from './idempotency-key.js';

const longest = 'k'.repeat(255);

describe('an idempotency key', () => {
  it.each<[string, string]>([
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['aZ09_.:~+/=@-', 'aZ09_.:~+/=@-'],
    ['"an order, of mine"', 'an order, of mine'],
    [String.raw`"a \"b\" \\ c"`, String.raw`a "b" \ c`],
    [longest, longest],
    [`"${longest}"`, longest],
    [`"${'\\\\'.repeat(255)}"`, '\\'.repeat(255)],
  ])('%s is %s', (value, key) => expect(parseIdempotencyKey([value])).toBe(key));

  it.each([
    '',
    '""',
    '"',
    '"a',
    'a"',
    '"a"b"',
    String.raw`"a\b"`,
    '"a\\"',
    '"a";x=1',
    '"a", "b"',
    'a, b',
    'a b',
    'ä',
    '"ä"',
    '"a\tb"',
    `${longest}k`,
    `"${longest}k"`,
  ])('is not %s', (value) => {
    expect(() => parseIdempotencyKey([value])).toThrow(/^Idempotency-Key: /);
  });

  it('is not sent twice, not even the same', () => {
    expect(() => parseIdempotencyKey(['a', 'a'])).toThrow('Idempotency-Key: must be sent once');
  });
});
