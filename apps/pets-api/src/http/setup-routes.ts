import type { FastifyInstance } from 'fastify';

const ofSetup = /^\/v1\/setup(?:[/?]|$)/;

/** Whether a route, or the target of a request, is for the page of a set-up link. */
export function isOfSetup(target: string): boolean {
  return ofSetup.test(target);
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

/** The answer to a browser that asks what a page of another origin may send; empty where it may send nothing. */
export function preflightHeadersOf(url: string): Readonly<Record<string, string>> {
  return isOfSetup(url) ? preflight : {};
}

/**
 * Lets the pages of any origin read the routes of set-up links (Fetch Standard, 3.2), and no other route. Without credentials:
 * the token of the link alone gives access. Before authentication, so that a page can read why it is
 * refused.
 */
export function allowSetupOrigins(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOfSetup(request.url)) reply.headers(anyOrigin);
    done();
  });
}
