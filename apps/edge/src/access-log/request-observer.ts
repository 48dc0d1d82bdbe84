import { performance } from 'node:perf_hooks';
import type { Logger } from '@pets/platform';
import type { EdgeRequest, EdgeResponse } from '../http/send.js';
import type { EdgeMetrics, Protocol } from '../metrics/edge-metrics.js';
import { connectionFactsOf } from './connection-facts.js';
import { loggedPath } from './logged-path.js';
import { nextRequestId } from './request-id.js';

/** Told of each request when its head has come, before it is answered. */
export type RequestObserver = (request: EdgeRequest, response: EdgeResponse) => void;

/** More says nothing that helps, and the client chooses it. */
const MAX_USER_AGENT = 200;
const MAX_HOST = 260;

/**
 * Counts each request and, where there is an access log, writes a line about it once its answer has ended, one way or
 * another. What the line needs of the connection is read at the start: afterwards it may be gone.
 */
export function observeRequests(metrics: EdgeMetrics, accessLog: Logger | undefined): RequestObserver {
  return (request, response) => {
    const startedAtMs = performance.now();
    const protocol = protocolOf(request);
    const connection = accessLog === undefined ? undefined : connectionFactsOf(request);
    response.once('close', () => {
      const durationMs = performance.now() - startedAtMs;
      metrics.request(response.statusCode, protocol, durationMs);
      if (accessLog === undefined) return;
      const host = request.headers[':authority'] ?? request.headers.host;
      const length = Number(response.getHeader('content-length') ?? 0);
      accessLog.info(
        {
          requestId: nextRequestId(),
          host: typeof host === 'string' ? host.slice(0, MAX_HOST) : null,
          method: request.method,
          path: loggedPath(request.url ?? ''),
          status: response.statusCode,
          bytes: request.method === 'HEAD' || response.statusCode === 304 ? 0 : length,
          ...(response.writableFinished ? {} : { brokenOff: true }),
          durationMs: Math.round(durationMs * 10) / 10,
          protocol,
          ...connection,
          userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
        },
        'request',
      );
    });
  };
}

function protocolOf({ httpVersionMajor, httpVersionMinor }: EdgeRequest): Protocol {
  if (httpVersionMajor === 2) return 'http/2';
  return httpVersionMinor === 0 ? 'http/1.0' : 'http/1.1';
}
