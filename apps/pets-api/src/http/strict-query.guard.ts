import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { findQueryFault } from './query-faults.js';

/**
 * A parameter that would not be heard is refused, so that a misspelt filter is not taken for no filter: any at all where
 * the operation has none, and one that is given twice. Unknown names beside known ones are for the operation's schema.
 */
export class StrictQueryGuard implements CanActivate {
  private readonly takers = new WeakMap<object, boolean>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isPublic(request)) return true;
    const fault = findQueryFault(request, this.takesQuery(context));
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
