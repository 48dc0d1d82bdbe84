import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEvent } from '@pets/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ClientAddresses } from '../../platform/client-addresses.js';
import { isWrite } from '../suspensions/suspensions.js';

/** Who is acting, and from where, as the audit log says it. */
export interface Requester {
  readonly kind: AuditEvent['actor']['kind'];
  /** The API key, also of a session. */
  readonly apiKeyId: string | null;
  /** The name that an operator gave. */
  readonly name: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** What happens on its own, such as the end of a plan. */
const system: Requester = { kind: 'system', apiKeyId: null, name: null, address: null, requestId: null };

const current = new AsyncLocalStorage<() => Requester>();

/** Whatever `work` records, and what it starts, was done by this requester. */
export function actAs<T>(requester: () => Requester, work: () => T): T {
  return current.run(requester, work);
}

export function currentRequester(): Requester {
  return current.getStore()?.() ?? system;
}

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
