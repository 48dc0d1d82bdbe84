import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf, type Principal } from '../principal.js';
import { parseIdempotencyKey } from './idempotency-key.js';

/** A request that may be repeated: what every handler of a POST under `/v1` passes to `Idempotency`. */
export interface IdempotentCall {
  readonly principal: Principal;
  /** Null when the client sent none. */
  readonly key: string | null;
  /** With its parameters, each escaped in one way; without a query. */
  readonly path: string;
  /** What makes it the same request. An upload puts its content's hash here once it knows it. */
  readonly body: unknown;
  readonly reply: FastifyReply;
}

/** Hands the call to a handler. @throws RequestError `invalid_parameter` for a malformed `Idempotency-Key` */
export const CurrentCall = createParamDecorator((_: unknown, context: ExecutionContext): IdempotentCall => {
  const http = context.switchToHttp();
  return idempotentCallOf(http.getRequest(), http.getResponse());
});

/** @throws RequestError `invalid_parameter` for a malformed `Idempotency-Key` */
export function idempotentCallOf(request: FastifyRequest, reply: FastifyReply): IdempotentCall {
  return { principal: principalOf(request), key: readKey(request), path: pathOf(request), body: request.body, reply };
}

function readKey({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): string | null {
  if (headers['idempotency-key'] === undefined) return null;
  // Node joins repeated headers into one value; here they are apart.
  return parseIdempotencyKey(raw.headersDistinct['idempotency-key'] ?? []);
}

function pathOf({ routeOptions, params }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>; // the router's
  return (routeOptions.url ?? '').replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
