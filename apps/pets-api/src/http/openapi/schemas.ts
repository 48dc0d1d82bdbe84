import { apiErrorSchema, operations, problemDetailsSchema, type Operation } from '@pets/contracts';
import { z } from 'zod';

/** The part of OpenAPI 3.1 that we write. */

export type Schema = Readonly<Record<string, unknown>>;
export type Reference = { readonly $ref: string; readonly description?: string };

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example: string | number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly style?: 'deepObject';
  readonly explode?: boolean;
  readonly schema: unknown;
  readonly example?: unknown;
}

interface MediaType {
  readonly schema: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference>>;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly [member: string]: unknown;
}

export interface PathItem {
  readonly [method: string]: unknown;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly unknown[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A reference to a component: `#/components/headers/Link`. */
export function refTo(kind: 'schemas' | 'headers' | 'parameters' | 'responses' | 'examples', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/**
 * The JSON Schemas of the catalog. They are converted together, so that each schema with an id becomes one component and
 * every other schema is inline. They describe the input form, which answers share.
 */
export interface Schemas {
  readonly components: Readonly<Record<string, Schema>>;
  /** The JSON Schema to write for this one: a reference if it is a component. */
  of(schema: z.ZodType): Schema;
}

apiErrorSchema.shape.code.register(z.globalRegistry, {
  id: 'ErrorCode',
  description: 'A closed list, so a client can switch over it.',
});
apiErrorSchema.register(z.globalRegistry, { id: 'Error', description: 'The body of every error response.' });
problemDetailsSchema.register(z.globalRegistry, {
  id: 'ProblemDetails',
  description: 'The same error by RFC 9457, for clients that accept `application/problem+json`.',
});

export function collectSchemas(): Schemas {
  const used = [...new Set([apiErrorSchema, problemDetailsSchema, ...Object.values(operations).flatMap(schemasOf)])];
  const { $defs = {}, properties = {} } = z.toJSONSchema(
    z.object(Object.fromEntries(used.map((schema, index) => [String(index), schema]))),
    { io: 'input', unrepresentable: 'any', override: ({ jsonSchema }) => writeAsSent(jsonSchema) },
  );
  return {
    components: relink($defs),
    of: (schema) => {
      const json = properties[String(used.indexOf(schema))];
      if (typeof json !== 'object') throw new Error('no operation of the catalog uses this schema');
      return relink(json);
    },
  };
}

function schemasOf({ params, query, body, answers }: Operation): z.ZodType[] {
  const bodies = [body !== undefined && 'schema' in body ? body.schema : undefined];
  const answered = Object.values(answers).map((answer) => answer.schema);
  return [params, query, ...bodies, ...answered].filter((schema) => schema !== undefined);
}

/** Removes keywords of zod that say nothing about the wire format. */
function writeAsSent(json: z.core.JSONSchema.BaseSchema): void {
  const { wire, description } = json;
  if (wire !== undefined) {
    for (const key of Object.keys(json)) delete json[key];
    Object.assign(json, wire, description !== undefined && { description });
  }
  // Our types being read-only says nothing about the API.
  delete json.readOnly;
  // The description of a body or a parameter has its example beside the schema.
  delete json.example;
  // `format` says it; the pattern is only how zod checks it.
  if (json.format !== undefined) delete json.pattern;
  if (json.type === 'integer') writeInteger(json);
  // Keys of objects are text in any case.
  delete json.propertyNames;
}

/** Removes zod's bounds of safe integers, which are not limits of the API. */
function writeInteger(json: z.core.JSONSchema.BaseSchema): void {
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  json.format ??= 'int32';
}

/** Ids are components here. */
function relink<Json>(json: Json): Json {
  const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Json; // the same but for its references
}
