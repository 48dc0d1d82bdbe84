import type { Exchange } from '../http/exchange.js';
import type { EdgeMetrics } from '../metrics/edge-metrics.js';
import { formatLine } from './access-line.js';
import type { Ending } from './ending.js';
import type { LineSink } from './line-sink.js';

/** Told of each request once its answer has ended, one way or another. */
export type RequestObserver = (exchange: Exchange, ending: Ending) => void;

/** Counts each request and, where there is an access log, writes a line about it. */
export function observeRequests(metrics: EdgeMetrics, accessLog: LineSink | undefined): RequestObserver {
  return (exchange, ending) => {
    metrics.request(exchange.status, exchange.protocol, ending.durationMs);
    accessLog?.write(formatLine(exchange, ending, Date.now()));
  };
}
