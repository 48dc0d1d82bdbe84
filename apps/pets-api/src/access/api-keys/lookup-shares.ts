import { afterMs, FairSemaphore } from '@pets/async';
import { RequestError } from '@pets/platform';

/** Look-ups of one client that run at once. */
const SHARE = 4;
/** The same while the client is over its limit of wrong keys. */
const NARROW_SHARE = 2;
/** Look-ups of one client that wait: at a few milliseconds each, all of them start within MAX_WAIT_MS. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;

/**
 * Gives each client address a share of the look-ups of keys, so that a flood of unknown keys occupies a bounded part of the
 * database, and a right key among them is found in a bounded time: first come, first served.
 */
export class LookupShares {
  readonly #slots: FairSemaphore;

  /** @param isNarrow whether a client is over its limit */
  constructor(isNarrow: (client: string) => boolean) {
    const limit = (client: string) => (isNarrow(client) ? NARROW_SHARE : SHARE);
    this.#slots = new FairSemaphore({ limit, waitingLimit: MAX_WAITING });
  }

  /** @throws RequestError `rate_limited` when the look-up could not start in time */
  async run<Found>(client: string, lookUp: () => Promise<Found>): Promise<Found> {
    const release = await this.#slots.acquire(client, '', afterMs(MAX_WAIT_MS));
    if (release === null)
      throw new RequestError('rate_limited', 'Too many API keys came from this address.', { 'retry-after': '1' });
    return lookUp().finally(release);
  }
}
