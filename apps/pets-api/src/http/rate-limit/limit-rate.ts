import { RequestError } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import type { Principal } from '../principal.js';
import type { Quota } from './rate-limiter.js';

/**
 * Counts each request with a valid key for its organization, whatever the answer, and says how much is left:
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), on a refusal `Retry-After` too. After
 * authentication, which finds the organization, and before anything that costs more.
 */
export function limitRate(fastify: FastifyInstance, consume: (principal: Principal) => Promise<Quota | null>): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.principal === null) return;
    const quota = await consume(request.principal);
    if (quota === null) return;
    const { limit, windowSeconds, remaining, resetSeconds, isExceeded } = quota;
    reply.header('ratelimit-policy', `"default";q=${limit};w=${windowSeconds}`);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (!isExceeded) return;
    throw new RequestError('rate_limited', `The organization may send ${limit} requests in ${windowSeconds} seconds.`, {
      'retry-after': String(resetSeconds),
    });
  });
}
