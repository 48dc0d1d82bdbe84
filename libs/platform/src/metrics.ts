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
function answerWithMetrics(response: ServerResponse, registry: MetricsSource): void {
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

/** Checks the dependencies of a process. Resolves to the names of those that are missing. */
export type ReadinessCheck = () => Promise<readonly string[]>;

/**
 * `/livez` says that the event loop runs. It depends on nothing else, or an outage elsewhere would restart every process.
 * `/readyz` says whether the process can take work: 200, or 503 with the missing dependencies. `/metrics` is for Prometheus.
 */
export async function startHealthServer(
  host: string,
  port: number,
  check: ReadinessCheck,
  metrics?: MetricsSource,
): Promise<Server> {
  const server = http.createServer((request, response) => {
    const reply = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
    if (request.url === '/livez') return reply(200, 'ok\n');
    if (request.url === '/metrics' && metrics !== undefined) return answerWithMetrics(response, metrics);
    if (request.url !== '/readyz') return reply(404, 'not found\n');
    check().then(
      (missing) => (missing.length === 0 ? reply(200, 'ok\n') : reply(503, `not ready: ${missing.join(', ')}\n`)),
      (error: unknown) => reply(503, `not ready: ${error instanceof Error ? error.message : String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server;
}
