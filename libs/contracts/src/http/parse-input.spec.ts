import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { fieldErrorText, MAX_FIELD_ERRORS } from './field-errors.js';
import { newApiKeySchema } from './api-keys.js';
import { operations } from './operations/operations.js';
import type { Operation } from './operations/operation.js';
import { parseInput, type InputKind } from './parse-input.js';

const errorsOf = (schema: z.ZodType, input: unknown, kind: InputKind = 'body') => {
  const parsed = parseInput(schema, input, kind);
  return parsed.ok ? [] : parsed.errors.map(fieldErrorText);
};
/** Errors of one value, below the name `x`. */
const wordsOf = (schema: z.ZodType, value: unknown) => errorsOf(z.strictObject({ x: schema }), { x: value });

const animal = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cat'), lives: z.int() }),
  z.strictObject({ kind: z.literal('dog'), name: z.string() }),
]);

describe('parseInput', () => {
  it.each<[string, z.ZodType, unknown, string[]]>([
    ['a missing field', z.string(), undefined, ['x: is required']],
    ['a missing number', z.int({ error: 'must be small' }).max(3), undefined, ['x: is required']],
    ['a missing choice', z.enum(['a', 'b']), undefined, ['x: is required']],
    [
      'a missing alternative',
      z.union([z.string(), z.int()], { error: 'must be short' }),
      undefined,
      ['x: is required'],
    ],
    ['null', z.string(), null, ['x: must be a string']],
    ['a wrong string', z.string(), 5, ['x: must be a string']],
    ['a wrong number', z.number(), '5', ['x: must be a number']],
    ['what is no number', z.number(), Number.NaN, ['x: must be a number']],
    ['infinity', z.number(), Infinity, ['x: must be a number']],
    ['a wrong integer', z.int(), 'a', ['x: must be an integer']],
    ['a fraction', z.int(), 1.5, ['x: must be an integer']],
    ['a large integer', z.int(), 2 ** 60, ['x: must be at most 9007199254740991']],
    ['a wrong truth value', z.boolean(), 'true', ['x: must be true or false']],
    ['a wrong object', z.object({}), [], ['x: must be an object']],
    ['a wrong array', z.array(z.string()), {}, ['x: must be an array']],
    ['a wrong record', z.record(z.string(), z.string()), 1, ['x: must be an object']],
    ['a wrong tuple', z.tuple([z.string()]), 1, ['x: must be an array']],
    ['a date', z.date(), 'x', ['x: must be a date']],
    ['a symbol', z.symbol(), 'x', ['x: must be of another type']],
    ['what may not be given', z.never(), 1, ['x: must not be set']],
    ['null alone', z.null(), 1, ['x: must be null']],
    ['a literal', z.literal('a'), 'b', ['x: must be a']],
    ['literals', z.literal([301, 302]), 303, ['x: must be one of 301, 302']],
    ['a choice', z.enum(['a', 'b']), 'c', ['x: must be one of a, b']],
    ['an empty string', z.string().min(1), '', ['x: must not be empty']],
    ['a short string', z.string().min(3), 'ab', ['x: must have at least 3 characters']],
    ['a long string', z.string().max(1), 'ab', ['x: must have at most 1 character']],
    ['a string of a length', z.string().length(2), 'abc', ['x: must have exactly 2 characters']],
    ['a small number', z.number().min(3), 2, ['x: must be at least 3']],
    ['a number at its bound', z.number().gt(3), 3, ['x: must be greater than 3']],
    ['a large number', z.number().max(3), 4, ['x: must be at most 3']],
    ['a number at its upper bound', z.number().lt(3), 3, ['x: must be less than 3']],
    ['a large bigint', z.bigint().max(3n), 4n, ['x: must be at most 3']],
    ['an early date', z.date().min(new Date(0)), new Date(-1), ['x: must be at least 1970-01-01T00:00:00.000Z']],
    ['an empty array', z.array(z.int()).min(1), [], ['x: must not be empty']],
    ['a long array', z.array(z.int()).max(1), [1, 2], ['x: must have at most 1 entry']],
    ['an array that should be empty', z.array(z.int()).max(0), [1], ['x: must be empty']],
    ['a tuple that is too long', z.tuple([z.int()]), [1, 2], ['x: must have at most 1 entry']],
    ['a small set', z.set(z.int()).min(2), new Set([1]), ['x: must have at least 2 entries']],
    ['a multiple', z.number().multipleOf(5), 7, ['x: must be a multiple of 5']],
    ['a pattern', z.string().regex(/^a/), 'b', ['x: has the wrong format']],
    ['an address', z.email(), 'b', ['x: must be an e-mail address']],
    ['a URL', z.url(), 'b', ['x: must be a URL']],
    ['a UUID', z.uuid(), 'b', ['x: must be a UUID']],
    ['an instant', z.iso.datetime(), 'b', ['x: must be a date and time (RFC 3339), such as 2026-11-02T09:00:00Z']],
    ['a beginning', z.string().startsWith('ab'), 'b', ['x: must begin with ab']],
    ['an end', z.string().endsWith('ab'), 'a', ['x: must end with ab']],
    ['a part', z.string().includes('ab'), 'a', ['x: must contain ab']],
    ['lower case', z.string().lowercase(), 'A', ['x: must be in lower case']],
    ['an unknown format', z.nanoid(), '!', ['x: has the wrong format']],
    ['an alternative of types', z.union([z.string(), z.int()]), true, ['x: must be a string or a number']],
    [
      'an alternative that was meant',
      z.union([z.string(), z.strictObject({ a: z.int(), b: z.int() })]),
      { a: 1, b: 'x' },
      ['x.b: must be an integer'],
    ],
    [
      'alternatives',
      z.union([z.literal(1), z.enum(['y', 'z'])]),
      'x',
      ['x: does not match any of the allowed formats'],
    ],
    ['a kind', animal, { kind: 'cow' }, ['x.kind: must be one of cat, dog']],
    ['a field of a kind', animal, { kind: 'cat', lives: 'x' }, ['x.lives: must be an integer']],
    ['a key', z.record(z.string().max(1), z.int()), { ab: 1 }, ['x.ab: is not an allowed name']],
    ['an element of a set', z.set(z.int()), new Set(['a']), ['x: must be an integer']],
    ['a value of a map', z.map(z.string(), z.int()), new Map([['a', 'b']]), ['x.a: must be an integer']],
    ['our own words', z.string().refine(() => false, { error: 'must rhyme' }), 'a', ['x: must rhyme']],
    ['a check without words', z.string().refine(() => false), 'a', ['x: is not valid']],
    ['an entry', z.array(z.int()), [1, 'b', 'c'], ['x.1: must be an integer', 'x.2: must be an integer']],
  ])('describes the error of %s', (_name, schema, value, words) => expect(wordsOf(schema, value)).toEqual(words));

  it.each<[InputKind, string]>([
    ['body', 'is not a field of this request'],
    ['query', 'is not a parameter of this operation'],
    ['path', 'is not a parameter of this operation'],
    ['settings', 'is not a setting'],
  ])('names each unknown member of a %s', (kind, words) => {
    const schema = z.strictObject({ a: z.strictObject({}) });
    expect(errorsOf(schema, { a: { b: 1 }, c: 1, d: 1 }, kind)).toEqual([
      `a.b: ${words}`,
      `c: ${words}`,
      `d: ${words}`,
    ]);
  });

  it('lists every error of a body, in the order of its fields', () => {
    expect(errorsOf(newApiKeySchema, { scopes: ['pets:read', 'pets:fly', 'x'], expiresAt: 5, id: 'mine' })).toEqual([
      'name: is required',
      expect.stringMatching(/^scopes\.1: must be one of pets:read, /),
      expect.stringMatching(/^scopes\.2: must be one of pets:read, /),
      'expiresAt: must be a string',
      'id: is not a field of this request',
    ]);
  });

  it.each([
    [undefined, 'The body is required'],
    [null, 'The body must be an object'],
    [[], 'The body must be an object'],
    ['x', 'The body must be an object'],
  ])('describes an invalid body %j: %s', (body, words) => expect(errorsOf(newApiKeySchema, body)).toEqual([words]));

  it('names a single value', () => {
    expect(parseInput(z.string().max(1), 'ab', 'path', 'petId')).toEqual({
      ok: false,
      errors: [{ field: 'petId', message: 'must have at most 1 character' }],
    });
  });

  it('lists an error only once', () => {
    const words = { error: 'must be good' };
    const schema = z
      .string()
      .refine(() => false, words)
      .refine(() => false, words);
    expect(wordsOf(schema, 'a')).toEqual(['x: must be good']);
  });

  it('limits the number and the length of errors', () => {
    const scopes = Array.from({ length: 20_000 }, () => 'x');
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, nth) => [`${'k'.repeat(5_000)}${nth}`, 1]));
    for (const body of [
      { name: 'x', scopes },
      { name: 'x', scopes: ['pets:read'], ...keys },
    ]) {
      const parsed = parseInput(newApiKeySchema, body, 'body');
      const errors = parsed.ok ? [] : parsed.errors;
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.length).toBeLessThanOrEqual(MAX_FIELD_ERRORS);
      for (const { field, message } of errors) {
        expect(field.length).toBeLessThanOrEqual(200);
        expect(message.length).toBeLessThanOrEqual(500);
      }
    }
  });

  it('replaces invisible characters in a name', () => {
    expect(errorsOf(z.strictObject({}), { 'a\u202eb\u001b[31m\ud800\u200bc': 1 })).toEqual([
      'a\ufffdb\ufffd[31m\ufffd\ufffdc: is not a field of this request',
    ]);
  });
});

const wrongValues = [
  ...[undefined, null, true, 0, -1, 1.5, 1e21, Number.NaN, 2n ** 70n, '', ' ', 'x', 'a\0b', '\ud800', '1', 'A--B'],
  ...['https://u:p@x/#a', 'x'.repeat(3_000), '\u202e', [], [1], [null], ['x', 'x'], {}, { x: 1 }, [[]], new Date(0)],
  Array.from({ length: 200 }, () => ({})),
];

/** The valid input with one part, at any depth, replaced by each wrong value, or with an unknown member. */
function* spoilt(valid: unknown): Generator<unknown> {
  yield* wrongValues;
  if (typeof valid !== 'object' || valid === null) return;
  for (const [key, member] of Object.entries(valid)) {
    for (const wrong of spoilt(member)) {
      if (Array.isArray(valid)) yield valid.map((each: unknown, index) => (String(index) === key ? wrong : each));
      else yield { ...valid, [key]: wrong };
    }
  }
  if (!Array.isArray(valid)) yield { ...valid, unknown: 1, 'un"known': [] };
}

const inputs = Object.entries<Operation>(operations).flatMap(([id, { params, query, body }]) => {
  const schemas: [InputKind, z.ZodType | undefined][] = [
    ['path', params],
    ['query', query],
    ['body', body !== undefined && 'schema' in body ? body.schema : undefined],
  ];
  return schemas.flatMap(([kind, schema]) => (schema === undefined ? [] : [[id, kind, schema] as const]));
});

/** The input of an operation, from the examples of its schema. A parameter without an example starts empty. */
function exampleOf(schema: z.ZodType): unknown {
  const own = schema.meta()?.['example'];
  if (own !== undefined || !(schema instanceof z.ZodObject)) return own;
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, member]) => [name, (member as z.ZodType).meta()?.['example'] ?? 'x']),
  );
}

describe('messages of zod', () => {
  const { localeError } = z.locales.en();

  it.each(inputs)('never appear in the errors of %s for a wrong %s', (_id, kind, schema) => {
    let refused = 0;
    for (const input of spoilt(exampleOf(schema))) {
      const parsed = parseInput(schema, input, kind);
      if (parsed.ok) continue;
      refused += 1;
      const zods = new Set<unknown>();
      const { error } = schema.safeParse(input, {
        error: (issue) => {
          const words = localeError(issue);
          zods.add(words);
          return words;
        },
      });
      expect(error).toBeDefined();
      for (const { field, message } of parsed.errors) {
        expect([field, zods.has(message)]).toEqual([field, false]);
        expect(message).not.toMatch(/^Invalid|expected .*received|^Too (?:big|small)|^Unrecognized|\0/);
        expect(message.length).toBeGreaterThan(4);
      }
    }
    expect(refused).toBeGreaterThan(wrongValues.length / 2);
  });
});
