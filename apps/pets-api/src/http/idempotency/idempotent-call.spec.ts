import { describe, expect, it } from '@jest/globals';
import { parseJsonBody } from '../json-body.js';
import { fingerprintOf, parseIdempotencyKey } from './idempotent-call.js';

const longest = 'k'.repeat(255);

describe('parseIdempotencyKey', () => {
  it.each<[string, string]>([
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['aZ09_.:~+/=@-', 'aZ09_.:~+/=@-'],
    ['"an order, of mine"', 'an order, of mine'],
    [String.raw`"a \"b\" \\ c"`, String.raw`a "b" \ c`],
    [longest, longest],
    [`"${longest}"`, longest],
    [`"${'\\\\'.repeat(255)}"`, '\\'.repeat(255)],
  ])('reads %s as %s', (value, key) => expect(parseIdempotencyKey([value])).toBe(key));

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
  ])('rejects %s', (value) => {
    expect(() => parseIdempotencyKey([value])).toThrow(/^Idempotency-Key: /);
  });

  it('rejects a repeated header, even with the same value', () => {
    expect(() => parseIdempotencyKey(['a', 'a'])).toThrow('Idempotency-Key: must be sent once');
  });
});

const of = (json: string) => fingerprintOf(parseJsonBody(Buffer.from(json))).toString('hex');

describe('fingerprintOf', () => {
  it.each([
    ['{"a":1,"b":{"c":[1],"d":2}}', ' { "b" : { "d":2, "c":[ 1 ] }, "a":1 } '],
    ['{"name":"\\u0052ex"}', '{"name":"Rex"}'],
    ['{"id":9007199254740993}', '{"id":9007199254740993}'],
    ['', ''],
  ])('is the same for %s and %s', (one, other) => expect(of(one)).toBe(of(other)));

  it.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":1}', '{"a":1,"b":null}'],
    ['[1,2]', '[2,1]'],
    ['{"id":9007199254740993}', '{"id":9007199254740992}'],
    ['', '{}'],
    ['', '""'],
  ])('differs for %s and %s', (one, other) => expect(of(one)).not.toBe(of(other)));
});
