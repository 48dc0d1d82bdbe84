import fc, { type Arbitrary } from 'fast-check';
import {
  boundsOf,
  countMembers,
  isObject,
  parseJson,
  RawJson,
  resolve,
  typesOf,
  writeJson,
  type Components,
  type Json,
  type Schema,
} from './json.js';
import { codePoints, graphemes, validValues } from './schema-arbitrary.js';
import { findFaults } from './schema-check.js';

/** JSON texts that a schema refuses: each has one thing wrong with it somewhere in a value that is valid otherwise. */
export function invalidTexts(schema: Schema, components: Components): Arbitrary<string> {
  // An object without members can be valid, and there is little to spoil about it.
  const valid = validValues(schema, components).filter((value) => writeJson(value) !== '{}');
  return fc.oneof(
    {
      weight: 4,
      arbitrary: spoilt(schema, components)
        .map((value) => writeJson(value))
        .filter(isRefusedBy(schema, components)),
    },
    { weight: 1, arbitrary: valid.map((value) => writeJson(value)).chain(notJson) },
    { weight: 1, arbitrary: givenTwice(valid) },
    { weight: 1, arbitrary: valid.chain(withHostileMember) },
  );
}

/** The bytes of a valid text with something in them that is no UTF-8. */
export function invalidUtf8(text: string): Arbitrary<Buffer> {
  const bytes = Buffer.from(text);
  const broken = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80], [0xe2, 0x82]];
  return (
    fc
      .tuple(fc.nat(bytes.length - 1), fc.constantFrom(...broken))
      .map(([at, hole]) => Buffer.concat([bytes.subarray(0, at), Buffer.from(hole), bytes.subarray(at)]))
      // Before a byte that goes on with a character, a lead byte may make another character.
      .filter((candidate) => Buffer.compare(Buffer.from(candidate.toString()), candidate) !== 0)
  );
}

function isRefusedBy(schema: Schema, components: Components): (text: string) => boolean {
  return (text) => findFaults(schema, parseJson(text), components).length > 0;
}

/** Values of which most are refused: the wrong type, or the right one with a fault of its kind. */
function spoilt(schema: Schema, components: Components): Arbitrary<Json> {
  const resolved = resolve(schema, components);
  if (resolved.anyOf !== undefined) return fc.oneof(...resolved.anyOf.map((each) => spoilt(each, components)));
  const types = typesOf(resolved);
  return fc.oneof(
    otherTypes,
    ...(types.includes('string') ? [spoiltTexts(resolved)] : []),
    ...(types.includes('integer') ? [spoiltIntegers(resolved)] : []),
    ...(types.includes('array') ? [spoiltLists(resolved, components)] : []),
    ...(types.includes('object') ? [{ weight: 4, arbitrary: spoiltObjects(resolved, components) }] : []),
  );
}

const otherTypes = fc.constantFrom<Json>(null, true, 0, 7, '', 'x', '1', [], {}, [1], { x: 1 }, new RawJson('1.5'));

function spoiltTexts({ minLength = 0, maxLength = 1_000 }: Schema): Arbitrary<Json> {
  const fixed: Json[] = [
    'a'.repeat(Math.max(0, minLength - 1)),
    'a'.repeat(maxLength + 1),
    '\u{1f43e}'.repeat(maxLength + 1),
    ' \t\n\u00a0',
    'left\u202eright',
    '\u2066isolated',
    'line\u0085',
    '\u007f',
    new RawJson('"half \\ud800 pair"'),
    new RawJson('"half \\udfff pair"'),
    new RawJson('"no\\u0000thing"'),
  ];
  return fc.oneof(fc.constantFrom(...fixed), graphemes, codePoints);
}

function spoiltIntegers(schema: Schema): Arbitrary<Json> {
  const { min, max } = boundsOf(schema);
  const fixed = ['1.5', '1.0', '1e3', '1E0', '-0.0', '1e400', '9223372036854775807.0', '9'.repeat(400)];
  const beyond = [min - 1n, max + 1n, 2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n];
  return fc.oneof(
    fc.constantFrom(...fixed.map((text) => new RawJson(text)), ...beyond, String(max), ''),
    fc.bigInt({ min: max + 1n, max: 10n ** 30n }),
    fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }).map((each) => new RawJson(String(each))),
  );
}

function spoiltLists({ items, minItems = 0, maxItems }: Schema, components: Components): Arbitrary<Json> {
  if (items === undefined) throw new Error('a list of what?');
  const each = validValues(items, components);
  const few = fc.array(each, { minLength: Math.max(1, minItems), maxLength: 3 });
  return fc.oneof(
    fc.constant([]),
    few.map((list) => [...list, ...list]),
    fc.tuple(few, spoilt(items, components)).map(([list, item]) => [...list, item]),
    ...(maxItems === undefined ? [] : [each.map((item) => Array.from({ length: maxItems + 1 }, () => item))]),
  );
}

function spoiltObjects(schema: Schema, components: Components): Arbitrary<Json> {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const valid = validValues(schema, components).map((value) => (isObject(value) ? value : {}));
  const names = Object.keys(properties);
  const extra = fc.oneof(
    fc.string(),
    fc.constantFrom('id', 'organizationId', 'Name', 'toString', 'hasOwnProperty', ''),
  );
  return fc.oneof(
    fc.tuple(valid, extra, otherTypes).map(([value, name, member]) => ({ ...value, [name]: member })),
    ...required.map((name) => valid.map((value) => withoutMember(value, name))),
    ...(additionalProperties === false
      ? []
      : [
          fc.tuple(valid, spoilt(additionalProperties, components)).map(([value, wrong]) => ({ ...value, key: wrong })),
        ]),
    ...names.map((name) => {
      const member = spoilt(properties[name] ?? {}, components);
      return fc.tuple(valid, member).map(([value, wrong]) => ({ ...value, [name]: wrong }));
    }),
  );
}

function withoutMember(value: { readonly [name: string]: Json }, name: string): Json {
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
}

/** A key that is given twice, in any object of the value. */
function givenTwice(valid: Arbitrary<Json>): Arbitrary<string> {
  return fc.tuple(valid, fc.nat()).map(([value, nth]) => writeJson(value, nth % Math.max(1, countMembers(value))));
}

/** Adds a member that the parser must reject. */
function withHostileMember(value: Json): Arbitrary<string> {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const members = [
    '"__proto__":{"scope":1}',
    '"constructor":{"prototype":{}}',
    '"prototype":1',
    '"\\u005f_proto__":{}',
  ];
  const inner = writeJson(value).slice(1, -1);
  return fc
    .constantFrom(...members, ...[33, 1_000, 20_000].map((depth) => `"x":${nested(depth)}`))
    .map((member) => `{${[inner, member].filter((each) => each !== '').join(',')}}`);
}

/** A text cut off anywhere, and what people and programs take for JSON. */
function notJson(text: string): Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.nat(text.length - 1).map((end) => text.slice(0, end)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        `\ufeff\ufeff${text}`,
        `${text}${text}`,
        `${text},`,
        `/* */${text}`,
        text.replaceAll('"', "'"),
        `{"a":NaN,${text.slice(1)}`,
        `{"a":01,${text.slice(1)}`,
        `{"a":+1,${text.slice(1)}`,
        `{"a":"\t",${text.slice(1)}`,
        text.replace(/\}$/, ',}'),
        'undefined',
        '[',
        '{'.repeat(40_000),
      ),
    },
  );
}
