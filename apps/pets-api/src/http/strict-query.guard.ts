import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { operationOf } from './operation-of.js';
import { findQueryFault } from './query-faults.js';

/** Whether an operation under `/v1` has a query: by the catalog, which also makes the start fail for a route that is not in it. */
type TakesQuery = (method: string, route: string) => boolean;

const takesQueryByCatalog: TakesQuery = (method, route) => operationOf(method, route)?.query !== undefined;

/**
 * Refuses query parameters that would be ignored, so that a misspelt filter is not taken for no filter: any at all where the
 * operation has none, and a repeated one. Unknown names beside known ones are for the operation's schema.
 */
export class StrictQueryGuard implements CanActivate {
  /** @param takesQuery another catalog, for tests */
  constructor(private readonly takesQuery: TakesQuery = takesQueryByCatalog) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { url: route = '' } = request.routeOptions;
    // Probes put what they like after `/livez?`.
    if (!route.startsWith('/v1/')) return true;
    const fault = findQueryFault(request, this.takesQuery(request.method, route));
    if (fault !== null) throw fault;
    return true;
  }
}
