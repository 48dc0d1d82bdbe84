import { errorsOf, takesIdempotencyKey, type Answer, type Operation } from '@pets/contracts';
import { z } from 'zod';
import { errorAnswersOf } from './error-answers.js';
import { headerRefs, headersOfAllAnswers, type AnswerHeaderName } from './headers.js';
import {
  refTo,
  type OperationObject,
  type Parameter,
  type Reference,
  type Response,
  type Schema,
  type Schemas,
} from './schemas.js';

/** Converts one operation of the catalog to OpenAPI. */
export function describeOperation(schemas: Schemas, operationId: string, operation: Operation): OperationObject {
  const { summary, tag, scope, holder, stability, deprecated, query, body } = operation;
  const parameters = [
    ...(query === undefined ? [] : parametersOf(schemas, query, 'query')),
    ...(takesIdempotencyKey(operation) ? [refTo('parameters', 'IdempotencyKey')] : []),
    ...(operation.isConditional === true ? [refTo('parameters', 'IfMatch'), refTo('parameters', 'IfNoneMatch')] : []),
    ...(isResumable(operation) ? [refTo('parameters', 'LastEventId')] : []),
    refTo('parameters', 'RequestId'),
    refTo('parameters', 'TraceParent'),
  ];
  return {
    operationId,
    summary,
    description: `${operation.description} ${describeAccess(operation)}`,
    tags: [tag],
    ...(deprecated !== undefined && { deprecated: true, 'x-sunset': deprecated.sunset.slice(0, 10) }),
    ...(stability !== undefined && { 'x-stability': stability }),
    ...(scope !== undefined && { 'x-required-scope': scope }),
    ...(holder !== undefined && { 'x-key-holder': holder }),
    'x-error-codes': errorsOf(operation),
    parameters,
    ...(body !== undefined && { requestBody: describeBody(schemas, body) }),
    responses: describeAnswers(schemas, operation),
  };
}

/** The parameters of a strict object, one a member. */
export function parametersOf(schemas: Schemas, object: z.ZodObject, place: 'path' | 'query'): Parameter[] {
  const { properties, required = [] } = parametersSchema.parse(schemas.of(object));
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: place,
    description,
    ...(required.includes(name) && { required: true }),
    ...(schema['type'] === 'object' && { style: 'deepObject' as const, explode: true }),
    schema,
    ...withExample(object.shape[name]),
  }));
}

/** The JSON Schema that zod generates for a strict object. */
const parametersSchema = z.object({
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })),
  required: z.array(z.string()).optional(),
});

function describeAccess({ scope, holder }: Operation): string {
  const kind = {
    api_key: 'Only with an API key, not with a session.',
    session: 'Only with a session.',
    recent: 'Only with an API key, or as a person who signed in within the last 15 minutes.',
    setup_link: 'Only with the token of a set-up link, from any origin; with no cookie and no API key.',
    anybody: 'Needs no key, from any origin.',
  };
  return [
    ...(scope === undefined ? [] : [`Needs the scope \`${scope}\`.`]),
    ...(holder === undefined ? [] : [kind[holder]]),
  ].join(' ');
}

function describeBody(schemas: Schemas, body: NonNullable<Operation['body']>) {
  if ('schema' in body) return { required: true, content: { 'application/json': mediaType(schemas, body.schema) } };
  return { required: true, description: body.description, content: files(body.mediaTypes) };
}

function describeAnswers(schemas: Schemas, operation: Operation): Record<string, Response | Reference> {
  const { answers, deprecated } = operation;
  const headers: readonly AnswerHeaderName[] = deprecated === undefined ? [] : ['Deprecation', 'Sunset', 'Link'];
  const more: readonly AnswerHeaderName[] = takesIdempotencyKey(operation) ? ['Idempotent-Replayed'] : [];
  return {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        describeAnswer(schemas, answer, [...headersOfAllAnswers, ...headers, ...more]),
      ]),
    ),
    ...errorAnswersOf(schemas, { codes: errorsOf(operation), headers }),
  };
}

function isResumable({ answers }: Operation): boolean {
  return Object.values(answers).some((answer) => answer.isResumable === true);
}

function describeAnswer(schemas: Schemas, answer: Answer, headers: readonly AnswerHeaderName[]): Response {
  const { description, schema, mediaTypes, stream, headers: own = [] } = answer;
  return {
    description,
    headers: headerRefs([...headers, ...own]),
    ...(mediaTypes !== undefined && { content: files(mediaTypes) }),
    ...((schema !== undefined || stream !== undefined) && {
      content: {
        ...(schema !== undefined && { 'application/json': mediaType(schemas, schema) }),
        ...(stream !== undefined && { 'text/event-stream': { schema: { type: 'string' }, example: stream } }),
      },
    }),
  };
}

function files(types: readonly string[]) {
  const file = { schema: { type: 'string', format: 'binary' } };
  return Object.fromEntries(types.map((type) => [type, file]));
}

function mediaType(schemas: Schemas, schema: z.ZodType): { schema: Schema; example?: unknown } {
  return { schema: schemas.of(schema), ...withExample(schema) };
}

/** The example of a schema; of a list, a list of one. */
function withExample(schema: unknown): { example?: unknown } {
  const example = exampleOf(schema);
  return example === undefined ? {} : { example };
}

function exampleOf(schema: unknown): unknown {
  if (!(schema instanceof z.ZodType)) return undefined;
  if (!(schema instanceof z.ZodArray)) return z.globalRegistry.get(schema)?.example;
  const item = exampleOf(schema.element);
  return item === undefined ? undefined : [item];
}
