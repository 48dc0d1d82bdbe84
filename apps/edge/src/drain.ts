import type { Server as NetServer } from 'node:net';
import type { Logger } from '@pets/platform';
import type { ConnectionRegistry } from './tls/connection-registry.js';

/** How long requests under way may go on. Leaves time for the farewell to the API within the 9 s of a stop. */
const DRAIN_LIMIT_MS = 4_000;

/** Stops accepting, ends what is idle (HTTP/2 by GOAWAY), waits for requests under way, and destroys the rest. */
export async function drainListeners(
  servers: readonly NetServer[],
  connections: ConnectionRegistry,
  log: Logger,
): Promise<void> {
  const closed = Promise.all(servers.map(closeServer));
  connections.drain();
  const limit = setTimeout(() => {
    log.warn(`requests are still under way after ${DRAIN_LIMIT_MS} ms, cutting them`);
    connections.destroyAll();
  }, DRAIN_LIMIT_MS);
  await closed;
  clearTimeout(limit);
}

function closeServer(server: NetServer): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => server.close(() => resolve()));
}
