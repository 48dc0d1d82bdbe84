import { operations, type Operation, type Scope } from '@pets/contracts';
import { DomainError } from '@pets/platform';
import type { Principal } from './principal.js';

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
export function templateOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

type Rule = Pick<Operation, 'scope' | 'holder'>;

/** Who may use a route under `/v1`. @throws Error when the catalog does not say: at the start, for every route there is */
export function requireRule(method: string, route: string): Rule {
  // HEAD asks for what GET does.
  const operation = `${method === 'HEAD' ? 'GET' : method} ${route}`;
  const rule = rules.get(operation);
  if (rule === undefined)
    throw new Error(
      `the operation "${operation}" has no scope: say in the catalog of operations which one it asks for`,
    );
  return rule;
}

/** @throws DomainError `forbidden` when the principal's key may not do this */
export function requireAccess(principal: Principal, method: string, route: string): void {
  const { scope, holder } = requireRule(method, route);
  if (scope !== undefined && !principal.scopes.includes(scope)) throw lacksScopes([scope]);
  const isSession = principal.sessionId !== null;
  if (holder === 'api_key' && isSession) throw insufficient('A session cannot do this; use an API key.');
  if (holder === 'session' && !isSession) throw insufficient('Only a session can do this.');
}

/** RFC 6750 §3.1: the refusal names the scopes that would do. */
export function lacksScopes(scopes: readonly Scope[]): DomainError {
  const list = scopes.join(' ');
  return insufficient(`The key lacks the scope ${list}.`, `, scope="${list}"`);
}

function insufficient(message: string, detail = ''): DomainError {
  const challenge = { 'www-authenticate': `Bearer realm="pets-api", error="insufficient_scope"${detail}` };
  return new DomainError('forbidden', message, challenge);
}
