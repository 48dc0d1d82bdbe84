import { addressGroup } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { MinuteLimit } from '../limits/minute-limit.js';

/** A browser that loads the callback again, and its provider’s retries. */
const CALLBACKS_PER_STATE = 5;

/**
 * Limits sign-ins at the dashboard, each by what a stranger cannot use up for others: those with an API key by the key, after
 * authentication, which limits wrong ones; those that begin at the identity provider by address; callbacks by the state that
 * their beginning has created. Each of the latter two asks the provider.
 */
export function limitSignIns(fastify: FastifyInstance, maxPerMinute: number): void {
  const byKey = new MinuteLimit(maxPerMinute, 'Too many sign-ins came with this API key.');
  const byAddress = new MinuteLimit(maxPerMinute, 'Too many sign-ins came from this address.');
  const byState = new MinuteLimit(maxPerMinute === 0 ? 0 : CALLBACKS_PER_STATE, 'This sign-in was repeated too often.');
  fastify.addHook('onRequest', ({ method, url, routeOptions, principal, clientAddress }, _reply, done) => {
    const take = (limit: MinuteLimit, key: string | null) => {
      if (key === null) return done();
      limit.check(key);
      limit.count(key);
      done();
    };
    switch (`${method} ${routeOptions.url}`) {
      case 'POST /dashboard/session':
        return take(byKey, principal?.apiKeyId ?? null);
      case 'POST /dashboard/sign-in/oidc':
        return take(byAddress, clientAddress === null ? null : addressGroup(clientAddress));
      case 'GET /dashboard/sign-in/callback':
      case 'HEAD /dashboard/sign-in/callback':
        return take(byState, new URLSearchParams(url.split('?', 2)[1] ?? '').get('state'));
      default:
        return done();
    }
  });
}
