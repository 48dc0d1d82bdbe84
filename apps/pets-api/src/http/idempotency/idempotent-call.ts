import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../platform/hashes.js';
import { stringifyWithBigInt } from '../json-body.js';
import { principalOf, type Principal } from '../principal.js';

/** A request that may be repeated. Every handler of a POST under `/v1` passes it to `Idempotency`, but for those that `isRepeatable`. */
export interface IdempotentCall {
  readonly principal: Principal;
  /** Null when the client sent none. */
  readonly key: string | null;
  /** Path with parameters in canonical escaping, without the query. */
  readonly path: string;
  /** The project of the path; null for a path without one. */
  readonly projectId: string | null;
  /** The content that a repetition must match. An upload replaces it with the hash of its content. */
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
  const { projectId = null } = request.params as { readonly projectId?: string }; // the router's
  const principal = principalOf(request);
  return { principal, key: readKey(request), path: pathOf(request), projectId, body: request.body, reply };
}

function readKey({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): string | null {
  if (headers['idempotency-key'] === undefined) return null;
  // `headers` joins repeated headers into one value.
  return parseIdempotencyKey(raw.headersDistinct['idempotency-key'] ?? []);
}

function pathOf({ routeOptions, params }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>; // the router's
  return (routeOptions.url ?? '').replaceAll(/::|:(\w+)/g, (_, name?: string) =>
    name === undefined ? ':' : encodeURIComponent(values[name] ?? ''),
  );
}

const MAX_LENGTH = 255;

/** RFC 8941 §3.3.3: printable ASCII in double quotes; a quote or a backslash in it has a backslash before it. */
const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** The form that many clients send. Comma and space are excluded: two joined headers are not one key. */
const unquoted = /^[A-Za-z0-9_.:~+/=@-]+$/;

/**
 * The key of an `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header), in quotes as in the draft, or
 * bare.
 * @param values of each such header of the request
 * @throws RequestError `invalid_parameter`
 */
export function parseIdempotencyKey(values: readonly string[]): string {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) throw invalid('must be sent once');
  const key = quoted.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? unquoted.exec(value)?.[0];
  if (key === undefined)
    throw invalid('must be a string in double quotes, or letters, digits and _ . : ~ + / = @ - without quotes');
  if (key.length === 0 || key.length > MAX_LENGTH) throw invalid(`must have from 1 to ${MAX_LENGTH} characters`);
  return key;
}

function invalid(reason: string): RequestError {
  return RequestError.ofField('invalid_parameter', 'Idempotency-Key', reason);
}

/**
 * Returns the hash by which a repeated request is recognized: of the value of its JSON body, not the bytes. Members may
 * come in another order, since a client that builds its body again may write them so; an integer counts with all its
 * digits.
 */
export function fingerprintOf(body: unknown): Buffer {
  const text = body === undefined ? '' : stringifyWithBigInt(sortMembers(body));
  return sha256(text);
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  // JSON omits symbols, but text that cannot be stored differs from no text.
  if (typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}
