import type { Operation } from '@pets/contracts';
import type { RequestError } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { insufficient, missingScopes } from '../http/bearer-errors.js';
import { isWrite, operationOf } from '../http/operation-of.js';
import type { Principal } from '../http/principal.js';
import type { Clock } from '../platform/clock.js';
import { suspended } from './suspensions/suspensions.repository.js';

type Rule = Pick<Operation, 'scope' | 'holder' | 'isAllowedWhileSuspended' | 'ownKeyParam'>;
type Caller = Pick<Principal, 'apiKeyId' | 'scopes' | 'sessionId' | 'person' | 'suspendedFor'>;

/** A stolen session of a person can do for this long what would outlast it. */
const RECENT_MS = 15 * 60_000;

/**
 * Requires the scope of each operation. The application does not start with a route under `/v1` that the catalog of
 * operations does not list.
 */
export function authorize(fastify: FastifyInstance, clock: Clock): void {
  fastify.addHook('onRoute', ({ method, url }) => {
    if (url.startsWith('/v1/')) for (const each of [method].flat()) requireRule(each, url);
  });
  fastify.addHook('onRequest', ({ principal, method, params, routeOptions: { url = '' } }, _reply, done) => {
    if (principal === null || !url.startsWith('/v1/')) return done();
    done(findAccessFault(principal, { method, route: url, params }, clock()) ?? undefined);
  });
}

/**
 * @throws Error when the catalog of operations lacks the route: checked for every route at the start
 */
function requireRule(method: string, route: string): Rule {
  const rule = operationOf(method, route);
  if (rule === undefined)
    throw new Error(
      `the route "${method} ${route}" has no operation: add it to the catalog of operations with its scope`,
    );
  return rule;
}

/** `forbidden` for a missing scope or the wrong kind of key, `suspended` for a write of a suspended organization. */
export function findAccessFault(
  principal: Caller,
  { method, route, params }: { readonly method: string; readonly route: string; readonly params?: unknown },
  now: Date,
): RequestError | null {
  const { scope, holder, isAllowedWhileSuspended, ownKeyParam } = requireRule(method, route);
  const isSession = principal.sessionId !== null;
  const isOwn = ownKeyParam !== undefined && !isSession && paramOf(params, ownKeyParam) === principal.apiKeyId;
  if (scope !== undefined && !isOwn && !principal.scopes.includes(scope)) return missingScopes([scope]);
  const { person } = principal;
  if (isSession && (holder === 'api_key' || (holder === 'recent' && person === null)))
    return insufficient('A session cannot do this; use an API key.');
  if (holder === 'recent' && person !== null && now.getTime() - person.signedInAt.getTime() > RECENT_MS)
    return insufficient('Your sign-in is older than 15 minutes. Sign out, sign in again, and repeat this.');
  if (holder === 'session' && !isSession) return insufficient('Only a session can do this.');
  const { suspendedFor } = principal;
  if (suspendedFor !== null && isWrite(method) && isAllowedWhileSuspended !== true)
    return suspended('organization', suspendedFor);
  return null;
}

/** An id may be in upper case in a path. */
function paramOf(params: unknown, name: string): string | undefined {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}
