import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { formatTraceParent, parseTraceParent, startSpan, withLogFields, type StartedSpan } from '@pets/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiMetrics } from '../platform/metrics/api-metrics.js';

/** Safe in a header, in a URI and in a log line. */
const acceptable = /^[A-Za-z0-9_-]{1,64}$/;

/** The id of a request in its response and in our logs: the client's if it is safe, otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}

/**
 * Adds request and trace id to all log lines of a request. Bound twice, because the code after a body runs in the async
 * context of the connection.
 */
export function bindLogContext(fastify: FastifyInstance): void {
  const enter = (request: FastifyRequest, _reply: unknown, done: () => void) => withLogFields(fieldsOf(request), done);
  fastify.addHook('onRequest', enter);
  fastify.addHook('preValidation', enter);
}

function fieldsOf({ id: requestId, traceId }: FastifyRequest) {
  return { requestId, ...(traceId !== null && { traceId }) };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace it is part of (W3C Trace Context), 32 hex digits: the client's, or where traces are recorded our own. */
    traceId: string | null;
    /** The address of the client: behind trusted proxies, the one that they name. Null once the connection is gone. */
    clientAddress: string | null;
    /** Set if traces are recorded and this request is sampled. */
    span: StartedSpan | null;
  }
}

/**
 * Continues a client's trace without recording: our log line has its id, and the response has a span id of ours.
 */
export function continueTraces(fastify: FastifyInstance): void {
  fastify.decorateRequest('traceId', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    const parent = parseTraceParent(request.headers.traceparent);
    if (parent !== null) {
      request.traceId = parent.traceId;
      reply.header('traceparent', formatTraceParent({ ...parent, parentId: randomBytes(8).toString('hex') }));
    }
    done();
  });
}

/** The known methods. Others are recorded as `_OTHER`, so that clients cannot choose the names of spans. */
const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Records each request as a span. It is made current twice, because the code after a body runs in the async context of
 * the connection. Its name is the route's template, never the URL, so that no id and no secret gets into a trace.
 */
export function recordRequests(fastify: FastifyInstance, publicUrl: string): void {
  const server = describeServer(new URL(publicUrl));
  fastify.decorateRequest('traceId', null);
  fastify.decorateRequest('span', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    const parent = parseTraceParent(request.headers.traceparent);
    if (!isRecorded(request, parent !== null)) return done();
    const span = begin(request, parent === null ? null : formatTraceParent(parent), server);
    request.span = span;
    request.traceId = span.traceId;
    if (parent !== null) reply.header('traceparent', span.traceParent);
    reply.raw.once('close', () => end(span, reply));
    span.run(done);
  });
  fastify.addHook('preValidation', ({ span }, _reply, done) => (span === null ? done() : span.run(done)));
}

/** Skips probes, and requests of edges that are not part of a trace. */
function isRecorded({ routeOptions: { url = '' } }: FastifyRequest, isPartOfTrace: boolean): boolean {
  if (url === '/livez' || url === '/readyz' || url === '/metrics') return false;
  return isPartOfTrace || !url.startsWith('/internal/');
}

/** The address that clients use. Behind a load balancer only the configuration knows it. */
function describeServer({ protocol, hostname, port }: URL) {
  const scheme = protocol.replace(':', '');
  const defaultPort = scheme === 'https' ? 443 : 80;
  return { 'url.scheme': scheme, 'server.address': hostname, 'server.port': port === '' ? defaultPort : Number(port) };
}

function begin(request: FastifyRequest, parent: string | null, server: ReturnType<typeof describeServer>): StartedSpan {
  const isKnown = knownMethods.has(request.method);
  const route = request.is404 ? undefined : request.routeOptions.url;
  const name = [isKnown ? request.method : 'HTTP', ...(route === undefined ? [] : [route])].join(' ');
  const attributes = {
    ...server,
    'http.request.method': isKnown ? request.method : '_OTHER',
    ...(route !== undefined && { 'http.route': route }),
    'pets.request_id': request.id,
  };
  return startSpan(name, { kind: 'server', parent, attributes });
}

/** Ends the span of a request. Only 5xx are our fault; the other statuses are answers. */
function end(span: StartedSpan, { raw }: FastifyReply): void {
  span.set({ 'http.response.status_code': raw.statusCode });
  span.end(raw.statusCode >= 500 ? String(raw.statusCode) : undefined);
}

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
