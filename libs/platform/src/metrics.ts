import type { Server, ServerResponse } from 'node:http';
import { totalmem } from 'node:os';
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { http } from './node-http.js';

export { Counter, Gauge, Histogram, Registry };

/** Metrics of every Node process: memory, processor time, garbage collection, lag of the event loop. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'process_memory_limit_bytes',
    help: 'Memory that the process may use: that of its container, or of the machine',
    registers: [registry],
    collect() {
      const limit = process.constrainedMemory();
      // Without a limit the kernel reports 0 or a number larger than any memory.
      this.set(limit > 0 ? Math.min(limit, totalmem()) : totalmem());
    },
  });
}

/** The values of all metrics of a process, as JSON. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Source of the answer of `/metrics`: a registry, or the metrics of several processes. */
export type MetricsSource = Pick<Registry, 'metrics' | 'contentType'>;

/** The worst of one process, which an average would hide, and a limit that the processes share. */
const MAXIMUM = /^(?:nodejs_eventloop_lag_|process_memory_limit_bytes$)/;
const MINIMUM = /_expiry_timestamp_seconds$/;

/**
 * The metrics of several processes of one program as those of one: counters, histograms and gauges are summed; the lag of the
 * event loop is that of the slowest process, and an expiry the first one.
 */
export function aggregateMetrics(processes: readonly MetricValues[]): Registry {
  const all = processes.map((values) =>
    values.map((metric) => {
      if (MAXIMUM.test(metric.name)) return { ...metric, aggregator: 'max' as const };
      return MINIMUM.test(metric.name) ? { ...metric, aggregator: 'min' as const } : metric;
    }),
  );
  return AggregatorRegistry.aggregate(all);
}

/** The sums of counters and histograms. Of processes that have ended, since a sum that falls is a reset to Prometheus. */
export function sumCounters(processes: readonly MetricValues[]): MetricValues {
  const counters = processes.map((values) => values.filter(({ type }) => isCounter(type)));
  return AggregatorRegistry.aggregate(counters).getMetricsAsArray() as MetricValues; // an aggregated metric has its values
}

/** The types say that it is a number of an enum; it is a text. */
function isCounter(type: unknown): boolean {
  return type === 'counter' || type === 'histogram';
}

/** Responds with all metrics in Prometheus' text format, or with 500 and the reason. */
export function answerWithMetrics(response: ServerResponse, registry: MetricsSource): void {
  const reply = (status: number, body: string, contentType: string) =>
    response.writeHead(status, { 'content-type': contentType }).end(body);
  registry.metrics().then(
    (text) => reply(200, text, registry.contentType),
    (error: unknown) =>
      reply(500, `no metrics: ${error instanceof Error ? error.message : String(error)}\n`, 'text/plain'),
  );
}

/** `/metrics` on a separate port, without authentication: for a private network. */
export async function startMetricsServer(host: string, port: number, registry: Registry): Promise<Server> {
  const server = http.createServer((request, response) => {
    if (request.url === '/metrics') return answerWithMetrics(response, registry);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server;
}
