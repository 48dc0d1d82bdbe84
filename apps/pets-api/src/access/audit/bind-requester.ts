import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ClientAddresses } from '../../platform/client-addresses.js';
import { isWrite } from '../suspensions/suspensions.js';
import { actAs, type Requester } from './requester.js';

/** Remembers who asks, for what a request records on its way. After the body, whose end calls what follows. */
export function bindRequester(fastify: FastifyInstance, addresses: ClientAddresses): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.principal === null || !isWrite(request.method)) return done();
    actAs(() => requesterOf(request, addresses), done);
  });
}

function requesterOf(request: FastifyRequest, addresses: ClientAddresses): Requester {
  const { apiKeyId = null, sessionId = null } = request.principal ?? {};
  return {
    kind: sessionId === null ? 'api_key' : 'session',
    apiKeyId,
    name: null,
    address: addresses.of(request.raw),
    requestId: request.id,
  };
}
