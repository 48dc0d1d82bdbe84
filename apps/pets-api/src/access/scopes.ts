import type { Operation, Scope } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { isWrite, suspended } from './suspensions/suspensions.js';
import { operationOf } from '../http/operation-of.js';
import type { Principal } from '../http/principal.js';

type Rule = Pick<Operation, 'scope' | 'holder' | 'isAllowedWhileSuspended'>;
type Caller = Pick<Principal, 'scopes' | 'sessionId' | 'suspendedFor'>;

/**
 * Asks each key for the scope of what it wants to do. What is under `/v1` must have its scope, or the application does not
 * start.
 */
export function authorize(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ method, url }) => {
    if (url.startsWith('/v1/')) for (const each of [method].flat()) requireRule(each, url);
  });
  fastify.addHook('onRequest', ({ principal, method, routeOptions: { url = '' } }, _reply, done) => {
    if (principal === null || !url.startsWith('/v1/')) return done();
    done(findAccessFault(principal, method, url) ?? undefined);
  });
}

/**
 * What a key needs for a route under `/v1`, by the catalog of operations: nothing is open by being forgotten.
 * @throws Error when the catalog does not have the route: at the start, for every route there is
 */
function requireRule(method: string, route: string): Rule {
  const rule = operationOf(method, route);
  if (rule === undefined)
    throw new Error(
      `the route "${method} ${route}" has no operation: add it to the catalog of operations with its scope`,
    );
  return rule;
}

/** `forbidden` when the principal's key may not do this, `suspended` when its organization may not, else null. */
export function findAccessFault(principal: Caller, method: string, route: string): RequestError | null {
  const { scope, holder, isAllowedWhileSuspended } = requireRule(method, route);
  if (scope !== undefined && !principal.scopes.includes(scope)) return missingScopes([scope]);
  const isSession = principal.sessionId !== null;
  if (holder === 'api_key' && isSession) return insufficient('A session cannot do this; use an API key.');
  if (holder === 'session' && !isSession) return insufficient('Only a session can do this.');
  const { suspendedFor } = principal;
  if (suspendedFor !== null && isWrite(method) && isAllowedWhileSuspended !== true)
    return suspended('organization', suspendedFor);
  return null;
}

/** RFC 6750 §3.1: the refusal names the scopes that would do. */
export function missingScopes(scopes: readonly Scope[]): RequestError {
  const list = scopes.join(' ');
  return insufficient(`The key lacks the scope ${list}.`, `, scope="${list}"`);
}

function insufficient(message: string, detail = ''): RequestError {
  const challenge = { 'www-authenticate': `Bearer realm="pets-api", error="insufficient_scope"${detail}` };
  return new RequestError('forbidden', message, challenge);
}
