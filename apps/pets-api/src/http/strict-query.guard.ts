import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DomainError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';

/**
 * A parameter that would not be heard is refused, so that a misspelt filter is not taken for no filter: any at all where
 * the operation has none, and one that is given twice. Unknown names beside known ones are for the operation's schema.
 */
export class StrictQueryGuard implements CanActivate {
  private readonly takers = new WeakMap<object, boolean>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const start = request.url.indexOf('?');
    if (start === -1 || !isPublic(request)) return true;
    const fault = findQueryFault(request.url.slice(start + 1), request.query, this.takesQuery(context));
    if (fault !== null) throw fault;
    return true;
  }

  /** Nest keeps each handler's arguments by kind and place: `4:0` is a query that comes first. */
  private takesQuery(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const known = this.takers.get(handler);
    if (known !== undefined) return known;
    const declared: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name);
    const isTaker = Object.keys(declared ?? {}).some((kind) => kind.startsWith(`${RouteParamtypes.QUERY}:`));
    this.takers.set(handler, isTaker);
    return isTaker;
  }
}

/** Probes put what they like after `/livez?`. */
function isPublic({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return url.startsWith('/v1/');
}

/** Nest drops these before a schema could refuse them. */
const droppedNames = new Set(['__proto__', 'constructor', 'prototype']);

function findQueryFault(text: string, query: unknown, isTaken: boolean): DomainError | null {
  if (!isDecodable(text)) return new DomainError('invalid_parameter', 'The query has a malformed percent-encoding.');
  const parameters = Object.entries(query ?? {});
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
