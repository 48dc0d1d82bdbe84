import { z } from 'zod';

/** JSON with whole numbers of any size. */
export type Json =
  null | boolean | number | bigint | string | Decimal | RawJson | readonly Json[] | { readonly [name: string]: Json };

/** A number with a fraction or an exponent, as it was written. */
export class Decimal {
  constructor(readonly source: string) {}
}

/** Text that is sent as it stands, also where no value would be written so. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** @param twice the member that is given twice, counted through the whole value; none if left out */
export function writeJson(value: Json, twice = -1): string {
  let members = 0;
  const write = (each: Json): string => {
    if (each instanceof RawJson) return each.text;
    if (each instanceof Decimal) return each.source;
    if (typeof each === 'bigint') return String(each);
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    if (isList(each)) return `[${each.map(write).join(',')}]`;
    const written = Object.entries(each).map(([name, member]) => {
      const isDoubled = members++ === twice;
      const text = `${JSON.stringify(name)}:${write(member)}`;
      return isDoubled ? `${text},${text}` : text;
    });
    return `{${written.join(',')}}`;
  };
  return write(value);
}

/** How many members all objects in a value have. */
export function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null || value instanceof RawJson || value instanceof Decimal) return 0;
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countMembers(item), 0);
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + countMembers(member), 0);
}

/** Parses with every digit. @throws SyntaxError */
export function parseJson(text: string): Json {
  return JSON.parse(text, (_name, value: Json, { source }: { source?: string } = {}): Json => {
    if (typeof value !== 'number' || source === undefined) return value;
    if (!/^-?\d+$/.test(source)) return new Decimal(source);
    return Number.isSafeInteger(value) ? value : BigInt(source);
  }) as Json;
}

export function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  if (typeof value !== 'object' || value === null) return false;
  return !(value instanceof RawJson) && !(value instanceof Decimal) && !isList(value);
}

/** `Array.isArray`, for lists that are read-only. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

const typeNames = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
const formats = ['int32', 'int64', 'date-time', 'uuid', 'uri', 'uri-reference', 'email', 'binary'] as const;

export type TypeName = (typeof typeNames)[number];

/** The part of JSON Schema that our OpenAPI document uses. All of it is generated and checked. */
export interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: TypeName | readonly TypeName[] | undefined;
  readonly format?: (typeof formats)[number] | undefined;
  readonly enum?: readonly (string | number)[] | undefined;
  readonly const?: string | boolean | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly items?: Schema | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: false | Schema | undefined;
  /** Annotations, which say nothing about what is valid. */
  readonly description?: string | undefined;
  readonly default?: unknown;
}

/** Strict: a keyword or a format that nobody generates from stops the suite, rather than going untested. */
export const schemaSchema: z.ZodType<Schema> = z.lazy(() => {
  const count = z.int().min(0).optional();
  return z.strictObject({
    $ref: z.string().optional(),
    type: z.union([z.enum(typeNames), z.array(z.enum(typeNames))]).optional(),
    format: z.enum(formats).optional(),
    enum: z.array(z.union([z.string(), z.int()])).optional(),
    const: z.union([z.string(), z.boolean()]).optional(),
    anyOf: z.array(schemaSchema).optional(),
    minLength: count,
    maxLength: count,
    pattern: z.string().optional(),
    minimum: z.int().optional(),
    maximum: z.int().optional(),
    items: schemaSchema.optional(),
    minItems: count,
    maxItems: count,
    uniqueItems: z.boolean().optional(),
    properties: z.record(z.string(), schemaSchema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.literal(false), schemaSchema]).optional(),
    description: z.string().optional(),
    default: z.unknown().optional(),
  });
});

export type Components = ReadonlyMap<string, Schema>;

/** Keywords that may stand beside a reference, since they say nothing about values. */
const besideReference: ReadonlySet<string> = new Set(['$ref', 'description', 'default']);

/** The schema itself, where this one only refers to it. */
export function resolve(schema: Schema, components: Components): Schema {
  if (schema.$ref === undefined) return schema;
  const target = components.get(schema.$ref.replace('#/components/schemas/', ''));
  const isPlain = Object.keys(schema).every((keyword) => besideReference.has(keyword));
  if (target === undefined || !isPlain) throw new Error(`cannot follow ${JSON.stringify(schema)}`);
  return resolve(target, components);
}

export function typesOf({ type }: Schema): readonly TypeName[] {
  return type === undefined ? [] : [type].flat();
}

/** Bounds of a whole number, those of its format included. */
export function boundsOf({ format, minimum, maximum }: Schema): { readonly min: bigint; readonly max: bigint } {
  const bits = format === 'int64' ? 63n : 31n;
  return {
    min: minimum === undefined ? -(2n ** bits) : BigInt(minimum),
    max: maximum === undefined ? 2n ** bits - 1n : BigInt(maximum),
  };
}
