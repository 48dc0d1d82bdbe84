import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace the client asked us to take part in (W3C Trace Context): 32 hex digits. */
    traceId: string | null;
  }
}

/** version-traceid-parentid-flags; a later version may have more after that (W3C Trace Context §3.2, §4.3). */
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:$|-)/;

export interface TraceParent {
  readonly traceId: string;
  /** As it came: whether the caller records. */
  readonly flags: string;
}

/** Null for none and for one that is malformed, which is then as good as none (§4.3). */
export function parseTraceParent(header: unknown): TraceParent | null {
  const [, traceId, flags] = (typeof header === 'string' && form.exec(header)) || [];
  if (traceId === undefined || flags === undefined) return null;
  return { traceId, flags };
}

/** Goes on with a client's trace: its id stands in our log line, and the answer names the step that was ours. */
export function continueTraces(fastify: FastifyInstance): void {
  fastify.decorateRequest('traceId', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    const parent = parseTraceParent(request.headers.traceparent);
    if (parent !== null) {
      request.traceId = parent.traceId;
      reply.header('traceparent', `00-${parent.traceId}-${randomBytes(8).toString('hex')}-${parent.flags}`);
    }
    done();
  });
}
