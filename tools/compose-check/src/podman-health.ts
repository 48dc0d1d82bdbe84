import { setTimeout as sleep } from 'node:timers/promises';
import type { Podman } from './podman-command.js';

const INTERVAL_MS = 1_000;

/**
 * Runs the health checks of all containers, over and over: Podman leaves that to timers of systemd, and where there is
 * no systemd nothing would ever become healthy.
 * @returns how to stop it
 */
export function keepLookingAtHealth(podman: Podman): () => Promise<void> {
  const stop = new AbortController();
  const looking = (async () => {
    while (!stop.signal.aborted) {
      const ids = await podman(['ps', '--quiet']).catch(() => '');
      for (const id of ids.split('\n').filter((line) => line !== '')) {
        await podman(['healthcheck', 'run', id]).catch(isNotHealthy);
      }
      await sleep(INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stop.abort();
    await looking;
  };
}

/** What was found stands in the state of the container, and whoever waits for it looks there. */
function isNotHealthy(): void {
  // Nothing to do about it here.
}
