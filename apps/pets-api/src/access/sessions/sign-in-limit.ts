import type { FastifyInstance } from 'fastify';
import { AddressLimit } from '../address-limit.js';

const attempts = new Set([
  'POST /dashboard/session',
  'POST /dashboard/sign-in/oidc',
  // Each asks the identity provider.
  'GET /dashboard/sign-in/callback',
  'HEAD /dashboard/sign-in/callback',
]);

/** Counts attempts to sign in at the dashboard, right or wrong, before anything else looks at them. */
export function limitSignIns(fastify: FastifyInstance, maxPerMinute: number): void {
  const limit = new AddressLimit(maxPerMinute, 'Too many sign-ins came from this address.');
  fastify.addHook('onRequest', ({ method, routeOptions, clientAddress }, _reply, done) => {
    if (!attempts.has(`${method} ${routeOptions.url}`)) return done();
    limit.check(clientAddress);
    limit.count(clientAddress);
    done();
  });
}
