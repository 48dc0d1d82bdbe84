import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiMetrics } from '../platform/metrics/api-metrics.js';

/** What of a logger is needed here. */
export interface AccessLog {
  info(access: Access, message: string): void;
}

/** What nginx logs where the client left before there was an answer: no status is sent, and no error is ours. */
const CLIENT_LEFT = 499;

/** One answer. The route is its template, so that neither ids nor anything secret in a URL gets into the logs. */
export interface Access {
  /** Null, like the route, of what never became a request. */
  readonly method: string | null;
  readonly route: string | null;
  readonly status: number;
  /** False when the client left before the last byte. */
  readonly completed: boolean;
  /** From the request's head to the end of the answer; null where it was not measured. */
  readonly ms: number | null;
  readonly requestId: string;
  /** Of a client that traces. */
  readonly traceId?: string;
}

export function logAccess(log: AccessLog, access: Access): void {
  log.info(access, 'request');
}

/** Logs the answer once it has ended, also by a client that leaves: Fastify's `onResponse` would not tell of that. */
export function logOnClose(log: AccessLog, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now();
  reply.raw.once('close', () =>
    logAccess(log, {
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.raw.headersSent ? reply.raw.statusCode : CLIENT_LEFT,
      completed: reply.raw.writableFinished,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: request.id,
      ...(request.traceId !== null && { traceId: request.traceId }),
    }),
  );
}

/** The same log, which counts each answer as well. */
export function countAccesses(log: AccessLog, metrics: ApiMetrics): AccessLog {
  return {
    info: (access, message) => {
      metrics.request(access);
      log.info(access, message);
    },
  };
}
