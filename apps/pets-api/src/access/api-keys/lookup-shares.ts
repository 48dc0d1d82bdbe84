import { RequestError } from '@pets/platform';

/** Look-ups of one client that run at once. */
const SHARE = 4;
/** The same while the client is over its limit of wrong keys. */
const NARROW_SHARE = 2;
/** Look-ups of one client that wait: at a few milliseconds each, all of them start within MAX_WAIT_MS. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;

interface Share {
  running: number;
  readonly waiting: Waiter[];
}

interface Waiter {
  readonly start: () => void;
  readonly refuse: () => void;
}

/**
 * Gives each client address a share of the look-ups of keys, so that a flood of unknown keys occupies a bounded part of the
 * database, and a right key among them is found in a bounded time: first come, first served.
 */
export class LookupShares {
  readonly #shares = new Map<string, Share>();

  /**
   * @param isNarrow whether the client is over its limit
   * @throws RequestError `rate_limited` when the look-up could not start in time
   */
  async run<Found>(client: string, isNarrow: () => boolean, lookUp: () => Promise<Found>): Promise<Found> {
    const share = this.#shares.get(client) ?? { running: 0, waiting: [] };
    this.#shares.set(client, share);
    if (share.running >= (isNarrow() ? NARROW_SHARE : SHARE)) await wait(share);
    else share.running += 1;
    try {
      return await lookUp();
    } finally {
      share.running -= 1;
      while (share.waiting.length > 0 && share.running < (isNarrow() ? NARROW_SHARE : SHARE)) {
        share.running += 1;
        share.waiting.shift()?.start();
      }
      if (share.running === 0) this.#shares.delete(client);
    }
  }
}

/** Whoever ends a look-up has counted this one as running when it starts. */
function wait(share: Share): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      start: () => {
        clearTimeout(timer);
        resolve();
      },
      refuse: () => {
        clearTimeout(timer);
        share.waiting.splice(share.waiting.indexOf(waiter), 1);
        reject(new RequestError('rate_limited', 'Too many API keys came from this address.', { 'retry-after': '1' }));
      },
    };
    const timer = setTimeout(waiter.refuse, MAX_WAIT_MS);
    share.waiting.push(waiter);
    if (share.waiting.length > MAX_WAITING) waiter.refuse();
  });
}
