import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from './metrics.js';

/** Answers with everything the registry has, in Prometheus' text format; 500 with the reason when it cannot be told. */
export function answerWithMetrics(response: ServerResponse, registry: Registry): void {
  const reply = (status: number, body: string, contentType: string) =>
    response.writeHead(status, { 'content-type': contentType }).end(body);
  registry.metrics().then(
    (text) => reply(200, text, registry.contentType),
    (error: unknown) =>
      reply(500, `no metrics: ${error instanceof Error ? error.message : String(error)}\n`, 'text/plain'),
  );
}

/** `/metrics` on a port of its own. Whoever reaches the port may read it, so it is for a private network. */
export async function startMetricsServer(host: string, port: number, registry: Registry): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/metrics') return answerWithMetrics(response, registry);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server;
}
