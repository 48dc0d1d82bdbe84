import type { Server } from 'node:http';
import { answerWithMetrics, type MetricsSource } from './metrics.js';
import { http } from './node-http.js';

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
