import { describe, expect, it } from '@jest/globals';
import { encodeValue, isFieldName, isFieldValue, nominatedFields, valuesOf } from './fields.js';

describe('a field', () => {
  it.each(['x-a', 'X_B', '!#$%'])('may have the name %s', (name) => expect(isFieldName(name)).toBe(true));
  it.each(['', 'a b', 'a:', 'é', 'a\r\nb', 'a\0'])('may not have the name %j', (name) =>
    expect(isFieldName(name)).toBe(false),
  );
  it.each(['', 'a b\tc', '\xe9'])('may have the value %j', (value) => expect(isFieldValue(value)).toBe(true));
  it.each(['a\r\nb', 'a\nb', 'a\rb', 'a\0b', '\x7f', '\u0100'])('may not have the value %j', (value) =>
    expect(isFieldValue(value)).toBe(false),
  );
});

it('the fields of a connection are those that its sender names, in every field Connection', () => {
  const fields = ['Connection', 'close, X-A', 'x-b', '1', 'connection', ' x-B '];
  expect([...nominatedFields(fields)]).toEqual(['close', 'x-a', 'x-b']);
  expect(valuesOf(fields, 'x-b')).toEqual(['1']);
});

it.each([
  ['plain', 'a-Z_0.9~!', 'a-Z_0.9~!'],
  ['JSON with a space, an umlaut and a percent sign', '{"a":"ü 5%"}', '{"a":"%C3%BC%205%25"}'],
  ['line breaks', 'a\r\nb\0', 'a%0D%0Ab%00'],
  ['an emoji', '🐕', '%F0%9F%90%95'],
])('a value is visible ASCII, and decoded it is the text: %s', (_name, text, encoded) => {
  expect(encodeValue(text)).toBe(encoded);
  expect(decodeURIComponent(encoded)).toBe(text);
});
