import Fastify from 'fastify';
import { describe, expect, it } from '@jest/globals';
import { scopes } from '@pets/contracts';
import { authorize, findAccessFault } from './authentication.js';

const principal = {
  apiKeyId: 'k',
  sessionId: null,
  person: null,
  organizationId: 'o',
  plan: 'pro',
  scopes,
  suspendedFor: null,
} as const;

describe('a route under /v1 that no rule speaks of', () => {
  it('stops the start', () => {
    const fastify = Fastify();
    authorize(fastify, () => new Date());
    expect(() => fastify.get('/v1/forgotten', async () => 'open')).toThrow(
      'the route "GET /v1/forgotten" has no operation: add it to the catalog of operations',
    );
  });

  it('is refused to everybody even if it got there', () => {
    expect(() => findAccessFault(principal, { method: 'GET', route: '/v1/forgotten' }, new Date())).toThrow(
      'has no operation',
    );
  });
});

describe('an operation that outlasts a session', () => {
  const now = new Date('2026-11-02T09:00:00Z');
  const session = { ...principal, sessionId: 's' };
  const signedInAt = (minutesAgo: number) => ({ id: 'p', signedInAt: new Date(now.getTime() - minutesAgo * 60_000) });
  const faultOf = (caller: Parameters<typeof findAccessFault>[0]) =>
    findAccessFault(caller, { method: 'POST', route: '/v1/api-keys' }, now)?.message ?? null;

  it('is allowed to an API key, and to a person who signed in a short time ago', () => {
    expect(faultOf(principal)).toBeNull();
    expect(faultOf({ ...session, person: signedInAt(15) })).toBeNull();
  });

  it('is refused to other sessions, and to a person who signed in earlier', () => {
    expect(faultOf(session)).toContain('A session cannot do this');
    expect(faultOf({ ...session, person: signedInAt(16) })).toContain('Sign out, sign in again');
  });
});
