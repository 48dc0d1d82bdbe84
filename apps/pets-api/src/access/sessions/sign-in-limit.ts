import type { FastifyInstance } from 'fastify';
import { AddressLimit } from '../address-limit.js';

/** Counts attempts to sign in at the dashboard, right or wrong, before anything else looks at them. */
export function limitSignIns(fastify: FastifyInstance, maxPerMinute: number): void {
  const limit = new AddressLimit(maxPerMinute, 'Too many sign-ins came from this address.');
  fastify.addHook('onRequest', ({ method, routeOptions, clientAddress }, _reply, done) => {
    if (method !== 'POST' || routeOptions.url !== '/dashboard/session') return done();
    limit.check(clientAddress);
    limit.count(clientAddress);
    done();
  });
}
