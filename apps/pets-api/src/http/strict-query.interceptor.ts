import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DomainError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';

/**
 * A parameter that would not be heard is refused, so that a misspelt filter is not taken for no filter: any at all where
 * the operation has none, and one that is given twice. Unknown names beside known ones are for the operation's schema.
 */
export class StrictQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const fault = isPublic(request) ? findQueryFault(request, takesQuery(context)) : null;
    if (fault !== null) throw fault;
    return next.handle();
  }
}

/** Probes put what they like after `/livez?`. */
function isPublic({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return url.startsWith('/v1/');
}

/** Nest drops these before a schema could refuse them. */
const droppedNames = new Set(['__proto__', 'constructor', 'prototype']);

function findQueryFault({ raw, query }: FastifyRequest, isTaken: boolean): DomainError | null {
  const url = raw.url ?? '';
  const start = url.indexOf('?');
  if (start === -1) return null;
  if (!isDecodable(url.slice(start + 1)))
    return new DomainError('invalid_parameter', 'The query has a malformed percent-encoding.');
  const parameters = Object.entries(query as Record<string, unknown>);
  const repeated = parameters.find(([, value]) => Array.isArray(value));
  if (repeated !== undefined) return new DomainError('invalid_parameter', `${repeated[0]}: is given more than once`);
  const stray = isTaken ? parameters.find(([name]) => droppedNames.has(name)) : parameters[0];
  if (stray === undefined) return null;
  return new DomainError('invalid_parameter', `${stray[0]}: is not a parameter of this operation`);
}

/** The parser passes on what it cannot decode, as it came. */
function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

/** Nest keeps each handler's arguments by kind and place: `4:0` is a query that comes first. */
function takesQuery(context: ExecutionContext): boolean {
  const declared: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  return Object.keys(declared ?? {}).some((kindAndPlace) => kindAndPlace.startsWith(`${RouteParamtypes.QUERY}:`));
}
