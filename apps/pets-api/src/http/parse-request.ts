import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { findQueryFault } from './query-faults.js';
import { requireValid } from './validation.pipe.js';

/** For routes that Nest does not know: what they are sent is refused as Nest's guard and pipe would refuse it. */

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
