import {
  StandardSchemaValidationPipe,
  type ArgumentMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { fieldError, parseInput, type InputKind } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isUuid } from '../platform/uuid.js';
import { operationOf } from './operation-of.js';

const kinds = { body: 'body', query: 'query', param: 'path', custom: 'body' } as const satisfies Record<
  ArgumentMetadata['type'],
  InputKind
>;

/** Checks bodies, queries and path parameters by their zod schemas; the refusal lists every field at fault. */
class ValidationPipe extends StandardSchemaValidationPipe {
  override transform<Value>(value: Value, metadata: ArgumentMetadata): Promise<Value> {
    const { schema, type, data } = metadata;
    if (!(schema instanceof z.ZodType) || type === 'custom') return super.transform(value, metadata);
    this.stripProtoKeys(value);
    const input = type === 'query' ? nestParameters(value) : value;
    return Promise.resolve(requireValid(schema, input, kinds[type], data) as Value);
  }
}

export const validationPipe = new ValidationPipe();

/** @throws RequestError `invalid_parameter` */
function requireValid<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  kind: InputKind,
  name?: string,
): z.infer<Schema> {
  const parsed = parseInput(schema, value, kind, name);
  if (!parsed.ok) throw RequestError.ofFields('invalid_parameter', parsed.errors);
  return parsed.value;
}

/** `metadata[key]=value` as `{ metadata: { key: value } }`: the style `deepObject` of OpenAPI, one level deep. */
function nestParameters(query: unknown): unknown {
  const flat: [string, unknown][] = [];
  const nested = new Map<string, [string, unknown][]>();
  for (const [name, value] of Object.entries(query ?? {})) {
    const [, outer, inner] = /^(\w+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) flat.push([name, value]);
    else nested.set(outer, [...(nested.get(outer) ?? []), [inner, value]]);
  }
  if (nested.size === 0) return query;
  const objects = [...nested].map(([name, members]): [string, unknown] => [name, Object.fromEntries(members)]);
  // A parameter that is there both ways is the text, which its schema refuses.
  return Object.fromEntries([...objects, ...flat]);
}

/** Nest drops these before a schema could refuse them. */
const droppedNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Checks a query before its schema does. @returns null for a valid query
 * @param isTaken whether the operation has parameters at all
 */
function findQueryFault({ url, query }: FastifyRequest, isTaken: boolean): RequestError | null {
  const start = url.indexOf('?');
  if (start === -1) return null;
  if (!isDecodable(url.slice(start + 1)))
    return new RequestError('invalid_parameter', 'The query has a malformed percent-encoding.');
  const [first, ...others] = Object.entries(query ?? {}).flatMap(([name, value]) => {
    const member = /^\w+\[([^[\]]+)\]$/.exec(name)?.[1] ?? name;
    if (!isTaken || droppedNames.has(member)) return [fieldError(name, 'is not a parameter of this operation')];
    return Array.isArray(value) ? [fieldError(name, 'must not be repeated')] : [];
  });
  return first === undefined ? null : RequestError.ofFields('invalid_parameter', [first, ...others]);
}

/** The query parser leaves malformed escapes as they are. */
function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

/** Whether an operation under `/v1` has a query: by the catalog, which also makes the start fail for a route that is not in it. */
type TakesQuery = (method: string, route: string) => boolean;

const takesQueryByCatalog: TakesQuery = (method, route) => operationOf(method, route)?.query !== undefined;

/**
 * Refuses query parameters that would be ignored, so that a misspelt filter is not taken for no filter: any at all
 * where the operation has none, and a repeated one. Unknown names beside known ones are for the operation's schema.
 */
export class StrictQueryGuard implements CanActivate {
  /** @param takesQuery another catalog, for tests */
  constructor(private readonly takesQuery: TakesQuery = takesQueryByCatalog) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { url: route = '' } = request.routeOptions;
    // Probes may add any query to `/livez`.
    if (!route.startsWith('/v1/')) return true;
    const fault = findQueryFault(request, this.takesQuery(request.method, route));
    if (fault !== null) throw fault;
    return true;
  }
}

/** @throws RequestError `invalid_parameter` */
export function parseQuery<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.infer<Schema> {
  refuseQueryFault(request, true);
  return requireValid(schema, request.query, 'query');
}

/** The body of an operation without query. @throws RequestError `invalid_parameter` */
export function parseBody<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.infer<Schema> {
  refuseQueryFault(request, false);
  return requireValid(schema, request.body, 'body');
}

function refuseQueryFault(request: FastifyRequest, isTaken: boolean): void {
  const fault = findQueryFault(request, isTaken);
  if (fault !== null) throw fault;
}

/** An id in a path. No object has an id that is not a UUID, so the answer is that of a missing object. */
export const idSchema = z.string().transform((id) => {
  if (!isUuid(id)) throw new RequestError('not_found', 'There is nothing with this id.');
  return id;
});

/** A domain in a path: its id or its name. Text that no name can contain must not reach the database. */
export const domainKeySchema = z.string().transform((key) => {
  if (/[\x00-\x20]/.test(key) || !key.isWellFormed())
    throw new RequestError('not_found', 'There is no such domain in this project.');
  return key;
});
