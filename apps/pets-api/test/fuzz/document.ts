import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { schemaSchema, type Components, type Schema } from './json.js';

/** The published description, as every client reads it. A test elsewhere says that it is what the catalog makes. */
const text = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');

const refSchema = z.object({ $ref: z.string() });
const parameterSchema = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: schemaSchema,
});
const headerSchema = z.object({ required: z.boolean().default(false), schema: schemaSchema });
const contentSchema = z.record(z.string(), z.object({ schema: schemaSchema }));
const answerSchema = z.object({
  headers: z.record(z.string(), z.union([refSchema, headerSchema])),
  content: contentSchema.default({}),
});
const holders = ['api_key', 'session', 'recent', 'setup_link', 'anybody'] as const;
const operationSchema = z.object({
  operationId: z.string(),
  'x-required-scope': z.string().optional(),
  'x-key-holder': z.enum(holders).optional(),
  parameters: z.array(z.union([refSchema, parameterSchema])).default([]),
  requestBody: z.object({ required: z.literal(true), content: contentSchema }).optional(),
  responses: z.record(z.string(), z.union([refSchema, answerSchema])),
});
const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.strictObject({
      parameters: z.array(parameterSchema).default([]),
      get: operationSchema.optional(),
      put: operationSchema.optional(),
      post: operationSchema.optional(),
      delete: operationSchema.optional(),
      patch: operationSchema.optional(),
    }),
  ),
  components: z.object({
    schemas: z.record(z.string(), schemaSchema),
    parameters: z.record(z.string(), parameterSchema),
    headers: z.record(z.string(), headerSchema),
    responses: z.record(z.string(), answerSchema),
  }),
});

const { paths, components: shared } = documentSchema.parse(JSON.parse(text));

export const components: Components = new Map(Object.entries(shared.schemas));

export type Parameter = z.infer<typeof parameterSchema>;

interface DescribedAnswer {
  /** Headers by name in lower case. */
  readonly headers: ReadonlyMap<string, z.infer<typeof headerSchema>>;
  readonly content: ReadonlyMap<string, Schema>;
}

/** An operation with everything that is said of it, all references followed. */
export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The methods that the description has for the path. */
  readonly methodsOfPath: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly mediaType: string; readonly schema: Schema } | undefined;
  readonly answers: ReadonlyMap<number, DescribedAnswer>;
  readonly scope: string | undefined;
  readonly holder: (typeof holders)[number] | undefined;
}

/** Every operation that is described, in the order of the document. */
export const describedOperations: readonly DescribedOperation[] = Object.entries(paths).flatMap(([path, item]) => {
  const found = methods.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ method: method.toUpperCase(), operation }];
  });
  const methodsOfPath = found.map(({ method }) => method);
  return found.map(({ method, operation }) => ({
    id: operation.operationId,
    method,
    path,
    methodsOfPath,
    parameters: [...item.parameters, ...operation.parameters.map((each) => follow(each, shared.parameters))],
    body: bodyOf(operation),
    answers: answersOf(operation),
    scope: operation['x-required-scope'],
    holder: operation['x-key-holder'],
  }));
});

/** For a block of tests an operation. */
export const operationsById = describedOperations.map((operation) => [operation.id, operation] as const);

/** The operations whose answers end: all but those that only stream. */
export const endingOperations = operationsById.filter(([, { answers }]) => {
  const types = [...(answers.get(200)?.content.keys() ?? [])];
  return types.join() !== 'text/event-stream';
});

function bodyOf({ requestBody }: z.infer<typeof operationSchema>): DescribedOperation['body'] {
  const [entry] = Object.entries(requestBody?.content ?? {});
  return entry && { mediaType: entry[0], schema: entry[1].schema };
}

function answersOf({ responses }: z.infer<typeof operationSchema>): DescribedOperation['answers'] {
  return new Map(
    Object.entries(responses).map(([status, answer]) => {
      const { headers, content } = follow(answer, shared.responses);
      return [
        Number(status),
        {
          headers: new Map(
            Object.entries(headers).map(([name, header]) => [name.toLowerCase(), follow(header, shared.headers)]),
          ),
          content: new Map(Object.entries(content).map(([type, { schema }]) => [type, schema])),
        },
      ];
    }),
  );
}

/** Resolves a reference to its component; returns any other value unchanged. */
function follow<Thing extends object>(
  thing: Thing | z.infer<typeof refSchema>,
  named: Readonly<Record<string, Thing>>,
): Thing {
  if (!('$ref' in thing)) return thing;
  const target = named[thing.$ref.slice(thing.$ref.lastIndexOf('/') + 1)];
  if (target === undefined) throw new Error(`nothing is at ${thing.$ref}`);
  return target;
}
