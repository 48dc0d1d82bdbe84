import type { FastifyInstance } from 'fastify';

const ROOT = '/v1/setup';

/** Whether a path or a route is for the page of a set-up link. */
export function isOfSetup(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after',
} as const;

const preflight = {
  ...anyOrigin,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '7200',
} as const;

/**
 * Lets the pages of any origin read the routes of set-up links (Fetch Standard, 3.2), and no other route. Without credentials:
 * the token of the link alone gives access. Before authentication, since a browser asks without a token.
 */
export function allowSetupOrigins(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isOfSetup(request.url.split('?', 1)[0] ?? '')) return done();
    if (request.method === 'OPTIONS') return void reply.code(204).headers(preflight).send();
    reply.headers(anyOrigin);
    done();
  });
}
