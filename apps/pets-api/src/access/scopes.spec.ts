import Fastify from 'fastify';
import { describe, expect, it } from '@jest/globals';
import { scopes } from '@pets/contracts';
import { authorize, findAccessFault } from './scopes.js';

const principal = {
  apiKeyId: 'k',
  sessionId: null,
  organizationId: 'o',
  plan: 'pro',
  scopes,
  suspendedFor: null,
} as const;

describe('a route under /v1 that no rule speaks of', () => {
  it('stops the start', () => {
    const fastify = Fastify();
    authorize(fastify);
    expect(() => fastify.get('/v1/forgotten', async () => 'open')).toThrow(
      'the route "GET /v1/forgotten" has no operation: add it to the catalog of operations',
    );
  });

  it('is refused to everybody even if it got there', () => {
    expect(() => findAccessFault(principal, 'GET', '/v1/forgotten')).toThrow('has no operation');
  });
});
