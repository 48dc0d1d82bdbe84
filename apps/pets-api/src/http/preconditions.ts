import { RequestError } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { operationOf } from './operation-of.js';

/** The preconditions of a request (RFC 9110 §13.1); undefined if it has none. */
export interface Preconditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export type PreconditionVerdict = 'holds' | 'not_modified' | 'failed';

/**
 * Evaluates preconditions in the order of RFC 9110 §13.2.2. `If-Match` compares strongly, so a weak tag never matches.
 * A malformed tag does not match either: a refused write is safer than one to the wrong version. `If-None-Match`
 * compares weakly.
 * @param etag the current entity tag, strong, with its quotes
 */
export function evaluatePreconditions(
  { ifMatch, ifNoneMatch }: Preconditions,
  etag: string,
  isRead: boolean,
): PreconditionVerdict {
  if (ifMatch !== undefined && !isAny(ifMatch) && !tagsOf(ifMatch).includes(etag)) return 'failed';
  if (ifNoneMatch === undefined) return 'holds';
  const isKnown = isAny(ifNoneMatch) || tagsOf(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
  if (!isKnown) return 'holds';
  return isRead ? 'not_modified' : 'failed';
}

/**
 * Refuses `If-Match` with entity tags where an operation does not support it: no tag can match a resource without one, and then
 * the method must not be performed (RFC 9110 §13.1.1). `*` holds for every resource that exists, so it changes nothing.
 */
export function refuseUnsupportedIfMatch(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ method, headers, routeOptions: { url = '' } }, _reply, done) => {
    const ifMatch = headers['if-match'];
    if (ifMatch === undefined || isAny(ifMatch)) return done();
    const operation = operationOf(method, url);
    done(operation === undefined || operation.isConditional === true ? undefined : untagged());
  });
}

function untagged(): RequestError {
  return new RequestError(
    'precondition_failed',
    'If-Match: this resource has no ETag, so nothing matches. Repeat the request without the header.',
  );
}

function isAny(value: string): boolean {
  return value.trim() === '*';
}

function tagsOf(value: string): readonly string[] {
  return value.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
