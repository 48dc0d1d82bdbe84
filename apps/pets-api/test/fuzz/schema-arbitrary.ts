import fc, { type Arbitrary } from 'fast-check';
import {
  boundsOf,
  resolve,
  typesOf,
  writeJson,
  type Components,
  type Json,
  type Schema,
  type TypeName,
} from './json.js';
import { findTextFaults } from './schema-check.js';

/** Everything that a schema calls valid, with its extremes more often than chance would have them. */
export function validValues(schema: Schema, components: Components): Arbitrary<Json> {
  const resolved = resolve(schema, components);
  if (resolved.anyOf !== undefined) return fc.oneof(...resolved.anyOf.map((each) => validValues(each, components)));
  if (resolved.enum !== undefined) return fc.constantFrom(...resolved.enum);
  if (resolved.const !== undefined) return fc.constant(resolved.const);
  return fc.oneof(...typesOf(resolved).map((type) => ofType(type, resolved, components)));
}

function ofType(type: TypeName, schema: Schema, components: Components): Arbitrary<Json> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return integers(schema);
    case 'string':
      return texts(schema);
    case 'array':
      return lists(schema, components);
    case 'object':
      return objects(schema, components);
  }
}

function integers(schema: Schema): Arbitrary<bigint> {
  const { min, max } = boundsOf(schema);
  // Around 2^53 a number that became a double on its way is another one afterwards.
  const edges = [min, max, 0n, 1n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n];
  return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(...edges.filter((edge) => edge >= min && edge <= max)));
}

/** Once: each of these makes a table of all its characters. */
export const graphemes: Arbitrary<string> = fc.string({ unit: 'grapheme' });
export const codePoints: Arbitrary<string> = fc.string({ unit: 'binary' });
const ascii: Arbitrary<string> = fc.string();

/** Texts without NUL and halves of surrogate pairs, which are no text, and as long after normalisation as before. */
function texts(schema: Schema): Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength } = schema;
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') return instants;
  // The only ones that are asked for are where to send something.
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'], withQueryParameters: true });
  if (format === 'email') return fc.emailAddress();
  const form = pattern === undefined ? null : new RegExp(pattern, 'u');
  const edges = ['a', '\u{1f43e}', '猫'].flatMap((character) =>
    [minLength, maxLength ?? minLength].map((length) => character.repeat(length)),
  );
  const isValid = (text: string) => findTextFaults(schema, text).length === 0;
  const fitting = edges.filter(isValid);
  return fc
    .oneof(
      ...(form === null ? [] : [fc.stringMatching(form)]),
      // What hardly anything matches cannot be found by trying.
      ...(form === null || form.test('Ünï 猫 \u{1f43e}') ? [graphemes, codePoints, ascii] : []),
      ...(fitting.length === 0 ? [] : [fc.constantFrom(...fitting)]),
    )
    .filter((text) => isValid(text) && isValid(text.normalize('NFC')));
}

/** RFC 3339, with any offset and any number of digits after the second. */
const instants: Arbitrary<string> = fc.oneof(
  fc
    .record({
      at: fc.date({
        min: new Date('0001-01-02T00:00:00Z'),
        max: new Date('9999-12-30T00:00:00Z'),
        noInvalidDate: true,
      }),
      fraction: fc.stringMatching(/^(?:\.[0-9]{1,9})?$/),
      offset: fc.constantFrom('Z', '+00:00', '-00:00', '+05:30', '-11:00', '+14:00'),
    })
    .map(({ at, fraction, offset }) => at.toISOString().slice(0, 19) + fraction + offset),
  // The first and the last there are; in UTC they are beyond the years of four digits.
  fc.constantFrom(
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-14:00',
    '2999-02-28T23:59:59Z',
  ),
);

function lists({ items, minItems, maxItems, uniqueItems }: Schema, components: Components): Arbitrary<Json> {
  if (items === undefined) throw new Error('a list of what?');
  const each = validValues(items, components);
  const bounds = { ...(minItems !== undefined && { minLength: minItems }), maxLength: maxItems ?? 20 };
  return uniqueItems === true
    ? fc.uniqueArray(each, { ...bounds, selector: (item) => writeJson(item) })
    : fc.array(each, bounds);
}

/** Keys of maps, whose rules are described in words. */
const keys = fc.stringMatching(/^[a-z0-9 .ü猫-]{1,40}$/u).filter((key) => key !== 'constructor' && key !== 'prototype');

function objects(
  { properties = {}, required = [], additionalProperties = false }: Schema,
  components: Components,
): Arbitrary<{ [name: string]: Json }> {
  const members = Object.entries(properties).map(([name, schema]) => [name, validValues(schema, components)] as const);
  const described = fc.record(Object.fromEntries(members), { requiredKeys: [...required], noNullPrototype: true });
  if (additionalProperties === false) return described;
  const others = fc.dictionary(keys, validValues(additionalProperties, components), {
    maxKeys: 3,
    noNullPrototype: true,
  });
  return fc.tuple(others, described).map(([more, own]) => ({ ...more, ...own }));
}
