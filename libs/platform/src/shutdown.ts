import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.js';

/** The limits of its parts let a stop take less than 10 s. This one is the last resort. */
const DEADLINE_MS = 25_000;

/** Runs `stop` once on SIGTERM or SIGINT, then exits: with 0 if it finished in time, otherwise with 1. */
export function stopOnSignal(
  log: Pick<Logger, 'info' | 'error'>,
  stop: () => Promise<void>,
  deadlineMs: number = DEADLINE_MS,
): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error(`stop timed out after ${deadlineMs} ms; exiting`);
      process.exit(1);
    }, deadlineMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

const POLL_MS = 25;

/**
 * Waits until all connections are closed, or for `limitMs`. The stopping server keeps answering meanwhile, with
 * `Connection: close`. Closing a kept connection at once could cut off a client's next request, and the client could not know
 * whether it was received.
 */
export async function drainConnections(servers: readonly Server[], limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (performance.now() < endMs) {
    const counts = await Promise.all(servers.map(countConnections));
    if (counts.every((count) => count === 0)) return;
    await sleep(POLL_MS);
  }
}

/** @returns 0 for a server that does not listen, too */
function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
