import type { Exchange } from '../http/exchange.js';
import type { EdgeMetrics } from '../metrics/edge-metrics.js';
import { formatLine } from './access-line.js';
import type { LineSink } from './line-sink.js';

/** How the answer to a request ended. */
export interface Ending {
  /** From the head of the request to the end of the answer, in milliseconds. */
  readonly durationMs: number;
  /** Whether all of it was sent. */
  readonly isComplete: boolean;
}

/** Told of each request once its answer has ended, one way or another. */
export type RequestObserver = (exchange: Exchange, ending: Ending) => void;

/** Counts each request and, where there is an access log, writes a line about it. */
export function observeRequests(metrics: EdgeMetrics, accessLog: LineSink | undefined): RequestObserver {
  return (exchange, ending) => {
    metrics.request(exchange.status, exchange.protocol, ending.durationMs);
    accessLog?.write(formatLine(exchange, ending, Date.now()));
  };
}
