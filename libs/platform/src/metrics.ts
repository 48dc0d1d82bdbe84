import { createServer, type Server, type ServerResponse } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry };

/** Metrics of every Node process: memory, processor time, garbage collection, lag of the event loop. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

/** Responds with all metrics in Prometheus' text format, or with 500 and the reason. */
export function answerWithMetrics(response: ServerResponse, registry: Registry): void {
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
  const server = createServer((request, response) => {
    if (request.url === '/metrics') return answerWithMetrics(response, registry);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server;
}
