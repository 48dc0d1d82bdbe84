import { operations, type Operation, type Scope } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { isWrite, suspended } from './suspensions/suspensions.js';
import type { Principal } from '../http/principal.js';

/**
 * What a key needs for each operation under `/v1`, by the catalog of operations. A route that is not in it stops the start
 * of the application, so that nothing is open by being forgotten.
 */
const rules: ReadonlyMap<string, Rule> = new Map(
  Object.values<Operation>(operations).map((operation) => [
    `${operation.method.toUpperCase()} ${templateOf(operation.path)}`,
    operation,
  ]),
);

/** A path as the router writes it: `/v1/pets/:petId`. */
function templateOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

type Rule = Pick<Operation, 'scope' | 'holder' | 'isAllowedWhileSuspended'>;
type Asker = Pick<Principal, 'scopes' | 'sessionId' | 'suspendedFor'>;

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

/** Who may use a route under `/v1`. @throws Error when the catalog does not say: at the start, for every route there is */
function requireRule(method: string, route: string): Rule {
  // HEAD asks for what GET does.
  const operation = `${method === 'HEAD' ? 'GET' : method} ${route}`;
  const rule = rules.get(operation);
  if (rule === undefined)
    throw new Error(
      `the operation "${operation}" has no scope: say in the catalog of operations which one it asks for`,
    );
  return rule;
}

/** `forbidden` when the principal's key may not do this, `suspended` when its organization may not, else null. */
export function findAccessFault(principal: Asker, method: string, route: string): RequestError | null {
  const { scope, holder, isAllowedWhileSuspended } = requireRule(method, route);
  if (scope !== undefined && !principal.scopes.includes(scope)) return lacksScopes([scope]);
  const isSession = principal.sessionId !== null;
  if (holder === 'api_key' && isSession) return insufficient('A session cannot do this; use an API key.');
  if (holder === 'session' && !isSession) return insufficient('Only a session can do this.');
  const { suspendedFor } = principal;
  if (suspendedFor !== null && isWrite(method) && isAllowedWhileSuspended !== true)
    return suspended('organization', suspendedFor);
  return null;
}

/** RFC 6750 §3.1: the refusal names the scopes that would do. */
export function lacksScopes(scopes: readonly Scope[]): RequestError {
  const list = scopes.join(' ');
  return insufficient(`The key lacks the scope ${list}.`, `, scope="${list}"`);
}

function insufficient(message: string, detail = ''): RequestError {
  const challenge = { 'www-authenticate': `Bearer realm="pets-api", error="insufficient_scope"${detail}` };
  return new RequestError('forbidden', message, challenge);
}
