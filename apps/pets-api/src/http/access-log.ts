import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiMetrics } from '../platform/metrics/api-metrics.js';

/** The part of a logger that access lines need. */
export interface AccessLog {
  info(access: Access, message: string): void;
}

/** Status as in nginx: the client closed the connection before the response. */
const CLIENT_LEFT = 499;

/** One response. The route is a template, so that no id and no secret of a URL gets into the logs. */
export interface Access {
  /** Null, like the route, for bytes that Node could not parse as a request. */
  readonly method: string | null;
  readonly route: string | null;
  readonly status: number;
  /** Address of the client, behind trusted proxies too; null where the connection was gone. */
  readonly address: string | null;
  /** False when the client left before the last byte. */
  readonly completed: boolean;
  /** From the request's head to the end of the answer; null where it was not measured. */
  readonly ms: number | null;
  readonly requestId: string;
  /** Only if the request is part of a trace. */
  readonly traceId?: string;
}

export function logAccess(log: AccessLog, access: Access): void {
  log.info(access, 'request');
}

/** Logs the response when it closes. Fastify's `onResponse` is not called when the client leaves early. */
export function logOnClose(log: AccessLog, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now();
  reply.raw.once('close', () =>
    logAccess(log, {
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.raw.headersSent ? reply.raw.statusCode : CLIENT_LEFT,
      address: request.clientAddress,
      completed: reply.raw.writableFinished,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: request.id,
      ...(request.traceId !== null && { traceId: request.traceId }),
    }),
  );
}

/** A log that also counts each response. */
export function countAccesses(log: AccessLog, metrics: ApiMetrics): AccessLog {
  return {
    info: (access, message) => {
      metrics.request(access);
      log.info(access, message);
    },
  };
}
