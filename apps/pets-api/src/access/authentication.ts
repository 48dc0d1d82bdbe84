import { timingSafeEqual } from 'node:crypto';
import type { Operation } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { insufficient, invalidApiKey, invalidToken, missingScopes } from '../http/bearer-errors.js';
import { isWrite, operationOf } from '../http/operation-of.js';
import type { Principal, SetupAccess } from '../http/principal.js';
import { isOfSetup } from '../http/setup-routes.js';
import type { Clock } from '../platform/clock.js';
import { sha256 } from '../platform/hashes.js';
import { findForgery, readCookie, SESSION_COOKIE } from './sessions/session-cookie.js';
import { suspended } from './suspensions/suspensions.repository.js';

interface Authenticators {
  /** Null for a key that is unknown, malformed, expired or revoked. */
  readonly findPrincipal: (key: string, address: string | null) => Promise<Principal | null>;
  readonly edgeToken: string;
  /** Token of the gateways; if absent, all their requests are rejected. */
  readonly gatewayToken: string | undefined;
  /** Null for a token that is malformed, expired or of a link that has ended. */
  readonly findSetup: (token: string) => Promise<SetupAccess | null>;
  /** The only origin whose pages may use a session's cookie. */
  readonly dashboardOrigin: string;
}

/**
 * Authenticates every request to a known route before its body is read. Denies by default: a route outside `/v1` and
 * `/internal` needs an API key or a session unless `openRoutes` lists it.
 */
export function authenticate(
  fastify: FastifyInstance,
  { findPrincipal, findSetup, edgeToken, gatewayToken, dashboardOrigin }: Authenticators,
): void {
  const edgeTokenHash = sha256(edgeToken);
  const gatewayTokenHash = gatewayToken === undefined ? undefined : sha256(gatewayToken);
  fastify.decorateRequest('principal', null);
  fastify.decorateRequest('setup', null);
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.is404) return;
    const route = request.routeOptions.url ?? '';
    if (openRoutes.has(route)) return;
    if (route.startsWith('/internal/gateway/')) {
      const credential = readBasicPassword(request) ?? readBearer(request);
      if (gatewayTokenHash === undefined || !timingSafeEqual(sha256(credential), gatewayTokenHash))
        throw invalidToken('The gateway token is wrong.');
      return;
    }
    if (route.startsWith('/internal/')) {
      if (!timingSafeEqual(sha256(readBearer(request)), edgeTokenHash)) throw invalidToken('The edge token is wrong.');
      return;
    }
    if (isOfSetup(route)) {
      // A cookie or a key of a member would make the page of a link more than it is.
      if (request.headers.cookie !== undefined)
        throw new RequestError('forbidden', 'Send this request without cookies.');
      if (route === SETUP_SESSIONS) return;
      request.setup = await findSetup(readBearer(request));
      if (request.setup === null) throw invalidToken('The set-up link has ended, or its token is not valid.');
      return;
    }
    if (request.headers.cookie !== undefined) reply.header('vary', 'cookie');
    const sessionKey = readSessionKey(request, dashboardOrigin);
    const isOptional = route === OPTIONAL_ROUTE;
    if (isOptional && sessionKey === null) return;
    const credential = sessionKey ?? readBearer(request);
    const principal = await findPrincipal(credential, request.clientAddress);
    if (principal !== null && (sessionKey === null || principal.sessionId !== null)) {
      request.principal = principal;
      return;
    }
    if (isOptional) return;
    throw sessionKey === null ? invalidApiKey() : invalidToken('The session has ended.');
  });
}

/** Exchanges the token in the body for one of the other routes below `/v1/setup`. */
const SETUP_SESSIONS = '/v1/setup/sessions';

const openRoutes = new Set([
  '/',
  '/livez',
  '/readyz',
  // Only at the internal listener: its network restricts access.
  '/metrics',
  '/openapi.json',
  '/docs',
  '/docs/deprecations/get-pet',
  '/problems/:code',
  '/setup',
  '/setup/logos/:file',
  '/dashboard',
  '/dashboard/*',
  '/dashboard/assets/*',
  // They check who may use them, and read no other credential than their own cookie.
  '/dashboard/sign-in/oidc',
  '/dashboard/sign-in/callback',
]);

/** Route at which the page asks whether its browser has a session. */
const OPTIONAL_ROUTE = '/dashboard/sign-in';

/**
 * The session of the dashboard's cookie; null if there is none, or an Authorization header, which takes precedence.
 * @throws RequestError `forbidden` unless the dashboard sends the request
 */
function readSessionKey(request: FastifyRequest, dashboardOrigin: string): string | null {
  if (request.headers.authorization !== undefined) return null;
  const key = readCookie(request.headers.cookie, SESSION_COOKIE);
  const forgery = key === null ? null : findForgery(request, dashboardOrigin);
  if (forgery !== null) throw forgery;
  return key;
}

/** RFC 6750 §2.1. The scheme is case-insensitive. `validateMessage` has rejected repeated Authorization headers. */
function readBearer(request: FastifyRequest): string {
  const header = request.headers.authorization;
  if (header === undefined) {
    const challenge = { 'www-authenticate': 'Bearer realm="pets-api"' };
    throw new RequestError('unauthenticated', 'Send an API key: Authorization: Bearer <key>.', challenge);
  }
  const credential = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
  if (credential === undefined) throw invalidToken('The Authorization header is not of the form: Bearer <key>.');
  return credential;
}

/** RFC 7617: gateways that accept only a URL send the token of that URL this way. */
function readBasicPassword(request: FastifyRequest): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
  return (
    encoded &&
    Buffer.from(encoded, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  );
}

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
