import type { Scope } from '@pets/contracts';
import { DomainError } from '@pets/platform';
import type { Principal } from './principal.js';

/**
 * What a key needs for each operation under `/v1`. One table, to be read in one look; a route that stands in neither part
 * stops the start of the application, so that nothing is open by being forgotten.
 */

/** The scope each operation asks for. */
const scopeByOperation: Readonly<Record<string, Scope>> = {
  'GET /v1/pets': 'pets:read',
  'POST /v1/pets': 'pets:write',
  'GET /v1/pets/:petId': 'pets:read',
  'GET /v1/store/orders': 'orders:read',
  'POST /v1/store/orders': 'orders:write',
  'GET /v1/store/orders/:orderId': 'orders:read',
  'PATCH /v1/store/orders/:orderId': 'orders:write',
  'GET /v1/projects': 'projects:read',
  'POST /v1/projects': 'projects:write',
  'GET /v1/projects/:projectId': 'projects:read',
  'GET /v1/projects/:projectId/deployments': 'projects:read',
  'POST /v1/projects/:projectId/deployments': 'projects:write',
  'GET /v1/projects/:projectId/domains': 'domains:read',
  'POST /v1/projects/:projectId/domains': 'domains:write',
  'GET /v1/projects/:projectId/domains/:domain': 'domains:read',
  'DELETE /v1/projects/:projectId/domains/:domain': 'domains:write',
  'GET /v1/projects/:projectId/domains/:domain/events': 'domains:read',
  'POST /v1/projects/:projectId/domains/:domain/verify': 'domains:write',
  'POST /v1/projects/:projectId/domains/:domain/reverify': 'domains:write',
  'GET /v1/projects/:projectId/domain-config': 'domains:read',
  'PUT /v1/projects/:projectId/domain-config': 'domains:write',
  'GET /v1/api-keys': 'keys:read',
  'POST /v1/api-keys': 'keys:write',
  'DELETE /v1/api-keys/:apiKeyId': 'keys:write',
};

/** Operations for only one kind of key. A session makes no keys, or whoever copies it could stay for ever. */
const holderByOperation: Readonly<Record<string, 'api_key' | 'session'>> = {
  'POST /v1/api-keys': 'api_key',
  'POST /v1/sessions': 'api_key',
  'DELETE /v1/sessions/current': 'session',
};

interface Rule {
  readonly scope: Scope | undefined;
  readonly holder: 'api_key' | 'session' | undefined;
}

/** Who may use a route under `/v1`. @throws Error when the table does not say: at the start, for every route there is */
export function requireRule(method: string, route: string): Rule {
  // HEAD asks for what GET does.
  const operation = `${method === 'HEAD' ? 'GET' : method} ${route}`;
  const rule = { scope: scopeByOperation[operation], holder: holderByOperation[operation] };
  if (rule.scope === undefined && rule.holder === undefined)
    throw new Error(`the operation "${operation}" has no scope: say in http/scopes.ts which one it asks for`);
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
