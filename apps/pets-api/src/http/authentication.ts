import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@pets/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from './principal.js';

export interface Authenticators {
  /** Finds who an API key belongs to; null for a key that is unknown, malformed or revoked. */
  readonly findPrincipal: (apiKey: string) => Promise<Principal | null>;
  readonly edgeToken: string;
}

/**
 * Authenticates before the body is read, for every route there is (an unknown path stays a 404). Deny by default: what
 * is under neither `/v1` nor `/internal` must be listed as open.
 */
export function authenticate(fastify: FastifyInstance, { findPrincipal, edgeToken }: Authenticators): void {
  const edgeTokenHash = sha256(edgeToken);
  fastify.decorateRequest('principal', null);
  fastify.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const route = request.routeOptions.url ?? '';
    if (openRoutes.has(route)) return;
    const credential = readBearer(request);
    if (route.startsWith('/internal/')) {
      if (!timingSafeEqual(sha256(credential), edgeTokenHash)) throw refused('The edge token is wrong.');
      return;
    }
    request.principal = await findPrincipal(credential);
    if (request.principal === null) throw refused('The API key is not valid.');
  });
}

const openRoutes = new Set(['/livez', '/readyz']);

/** RFC 6750 §2.1. The scheme is case-insensitive; two Authorization headers are an ambiguous request. */
function readBearer(request: FastifyRequest): string {
  const count = request.raw.rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  if (count > 1) throw new DomainError('invalid_request', 'There is more than one Authorization header.');
  const header = request.headers.authorization;
  if (header === undefined) {
    const challenge = { 'www-authenticate': 'Bearer realm="pets-api"' };
    throw new DomainError('unauthenticated', 'Send an API key: Authorization: Bearer <key>.', challenge);
  }
  const credential = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
  if (credential === undefined) throw refused('The Authorization header is not of the form: Bearer <key>.');
  return credential;
}

function refused(message: string): DomainError {
  const challenge = {
    'www-authenticate': `Bearer realm="pets-api", error="invalid_token", error_description="${message}"`,
  };
  return new DomainError('invalid_api_key', message, challenge);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
