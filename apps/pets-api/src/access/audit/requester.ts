import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEvent } from '@pets/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isWrite } from '../../http/operation-of.js';

/** The actor of a change and its origin, as the audit log shows them. */
export interface Requester {
  readonly kind: AuditEvent['actor']['kind'];
  /** The API key; for a session, the key that opened it. */
  readonly apiKeyId: string | null;
  /** Person who signed in with the identity provider. */
  readonly personId: string | null;
  /** The name that an operator gave. */
  readonly name: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** The actor of automatic changes, such as the end of a grace period. */
const system: Requester = {
  kind: 'system',
  apiKeyId: null,
  personId: null,
  name: null,
  address: null,
  requestId: null,
};

/** Makes no customer and no operator the actor of what `work` records. */
export function actAsSystem<T>(work: () => T): T {
  return current.run(() => system, work);
}

const current = new AsyncLocalStorage<() => Requester>();

/** Makes this requester the actor of everything that `work` records, including asynchronously. */
export function actAs<T>(requester: () => Requester, work: () => T): T {
  return current.run(requester, work);
}

export function currentRequester(): Requester {
  return current.getStore()?.() ?? system;
}

/** Binds the requester for the audit log. In `preValidation`, since the end of the body starts a new async context. */
export function bindRequester(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.principal === null || !isWrite(request.method)) return done();
    actAs(() => requesterOf(request), done);
  });
}

function requesterOf(request: FastifyRequest): Requester {
  const { apiKeyId = null, sessionId = null, person = null } = request.principal ?? {};
  return {
    kind: person !== null ? 'person' : sessionId === null ? 'api_key' : 'session',
    apiKeyId,
    personId: person?.id ?? null,
    name: null,
    address: request.clientAddress,
    requestId: request.id,
  };
}
