import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findQueryFault } from './query-faults.js';
import { refuseIssues } from './validation.pipe.js';

/** For routes that Nest does not know: what they are sent is refused as Nest's guard and pipe would refuse it. */

/** @throws DomainError `invalid_parameter` */
export function parseQuery<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.infer<Schema> {
  refuseQueryFault(request, true);
  return parse(schema, request.query);
}

/** The body of an operation without query. @throws DomainError `invalid_parameter` */
export function parseBody<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.infer<Schema> {
  refuseQueryFault(request, false);
  return parse(schema, request.body);
}

function refuseQueryFault(request: FastifyRequest, isTaken: boolean): void {
  const fault = findQueryFault(request, isTaken);
  if (fault !== null) throw fault;
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw refuseIssues(parsed.error.issues);
  return parsed.data;
}
