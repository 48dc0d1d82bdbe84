import { apiErrorSchema, operations, problemDetailsSchema, type Operation } from '@pets/contracts';
import { z } from 'zod';
import type { Schema } from './openapi-types.js';

/**
 * All schemas of the catalog are turned into JSON Schema in one go, so that those with an id become components, each
 * once, and everything else stands where it is used. What is described is what is sent: input for bodies and
 * parameters, and answers have no other form.
 */
export interface Schemas {
  readonly components: Readonly<Record<string, Schema>>;
  /** The schema to write where this one is meant: a reference when it is a component. */
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
      if (typeof json !== 'object') throw new Error('a schema that no operation of the catalog uses');
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
  // Examples stand beside the schema, where a body or a parameter is described.
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
