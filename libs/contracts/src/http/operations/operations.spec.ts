import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { errorStatus } from '../errors.js';
import { tagGroups, tags, type Operation } from './operation.js';
import { errorsOf, operations } from './operations.js';

const catalog = Object.entries<Operation>(operations);

describe.each(catalog)('%s', (_id, operation) => {
  it('has a schema for each parameter of its path, and for no other', () => {
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(operation.params?.shape ?? {})).toEqual(named);
  });

  it('has examples that match its schemas', () => {
    for (const schema of examplesOf(operation)) {
      const { example } = z.globalRegistry.get(schema) ?? {};
      expect(example).toBeDefined();
      expect(schema.safeParse(example).error).toBeUndefined();
    }
  });

  it('lists each of its error codes once', () => {
    const codes = errorsOf(operation);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect(codes.every((code) => code in errorStatus)).toBe(true);
  });
});

it('no two operations share method and path', () => {
  const addresses = catalog.map(([, { method, path }]) => `${method} ${path}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});

it('every tag has operations and is in one group', () => {
  const used = new Set(catalog.map(([, { tag }]) => tag));
  const grouped = Object.values(tagGroups).flat();
  expect([...used].sort()).toEqual(Object.keys(tags).sort());
  expect([...grouped].sort()).toEqual(Object.keys(tags).sort());
});

/** Bodies and answers, and what a list is a list of. Parameters are sent as text, so theirs are no examples of input. */
function examplesOf({ body, answers }: Operation): z.ZodType[] {
  const schemas = [
    body !== undefined && 'schema' in body ? body.schema : undefined,
    ...Object.values(answers).map(({ schema }) => schema),
  ];
  return schemas.flatMap((schema) => {
    if (!(schema instanceof z.ZodArray)) return schema ?? [];
    return schema.element instanceof z.ZodType ? schema.element : [];
  });
}
