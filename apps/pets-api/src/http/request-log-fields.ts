import { withLogFields } from '@pets/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * What is logged on the way of a request says which one it was, and of which trace. Twice, since whatever follows a body
 * is called by the connection it came on, which knows nothing of the request.
 */
export function bindLogContext(fastify: FastifyInstance): void {
  const enter = (request: FastifyRequest, _reply: unknown, done: () => void) => withLogFields(fieldsOf(request), done);
  fastify.addHook('onRequest', enter);
  fastify.addHook('preValidation', enter);
}

function fieldsOf({ id: requestId, traceId }: FastifyRequest) {
  return { requestId, ...(traceId !== null && { traceId }) };
}
