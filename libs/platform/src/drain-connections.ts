import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 25;

/**
 * Waits until nobody is connected any more, or for `limitMs`. For a server that stops: it goes on answering meanwhile,
 * each answer with `Connection: close`. To close a kept connection at once would cut a client that has just begun its next
 * request there, and it cannot know whether that was heard.
 */
export async function drainConnections(servers: readonly Server[], limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (performance.now() < endMs) {
    const counts = await Promise.all(servers.map(countConnections));
    if (counts.every((count) => count === 0)) return;
    await sleep(LOOK_MS);
  }
}

/** @returns 0 also for a server that does not listen */
function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
