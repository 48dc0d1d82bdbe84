/** How many reads from the storage may run at the same time. */
export interface ReadLimits {
  readonly total: number;
  readonly perConnection: number;
  readonly perAddress: number;
  readonly perSite: number;
}

/** The reader and the deployment. */
export interface ReadSource {
  readonly connection: object;
  readonly addressGroup: string;
  /** The deployment, which belongs to one project. */
  readonly site: string;
}

/** The read could not start in time. */
export class StorageBusyError extends Error {
  constructor() {
    super('too many reads from the storage');
  }
}

interface Waiting {
  readonly place: ReadSource;
  readonly start: () => void;
}

/** More waiting reads of one address or one site are refused at once. */
const MAX_WAITING = { perAddress: 256, perSite: 512 } as const;

/**
 * Limits concurrent reads in total and per connection, address and site. Other reads queue per site, and the queues are served
 * round robin: many requests for one site do not delay another site.
 */
export class StorageReads {
  readonly #limits: ReadLimits;
  readonly #active = new Counts();
  readonly #queued = new Counts();
  readonly #queues = new Map<string, Set<Waiting>>();
  #total = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /** Reads in progress. */
  get active(): number {
    return this.#total;
  }

  /** @throws StorageBusyError when the read cannot start within `waitMs`, and the error of the read */
  async run<Result>(place: ReadSource, waitMs: number, read: () => Promise<Result>): Promise<Result> {
    if (this.#mayStart(place)) this.#take(place);
    else await this.#wait(place, waitMs);
    try {
      return await read();
    } finally {
      this.#release(place);
    }
  }

  /** Resolves when the read is counted and may start. */
  #wait(place: ReadSource, waitMs: number): Promise<void> {
    const { addressGroup, site } = place;
    const maxOfAddress = Number.isFinite(this.#limits.perAddress) ? MAX_WAITING.perAddress : Infinity;
    if (this.#queued.of(addressGroup) >= maxOfAddress || this.#queued.of(site) >= MAX_WAITING.perSite)
      return Promise.reject(new StorageBusyError());
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(site) ?? new Set();
      this.#queues.set(site, queue);
      const leave = () => {
        clearTimeout(timer);
        this.#queued.remove(addressGroup, site);
        queue.delete(waiting);
        if (queue.size === 0) this.#queues.delete(site);
      };
      const start = () => {
        leave();
        this.#take(place);
        resolve();
      };
      const waiting: Waiting = { place, start };
      const timer = setTimeout(() => {
        leave();
        reject(new StorageBusyError());
      }, waitMs).unref();
      queue.add(waiting);
      this.#queued.addRead(addressGroup, site);
    });
  }

  #mayStart({ connection, addressGroup, site }: ReadSource): boolean {
    const { total, perConnection, perAddress, perSite } = this.#limits;
    return (
      this.#total < total &&
      this.#active.of(connection) < perConnection &&
      this.#active.of(addressGroup) < perAddress &&
      this.#active.of(site) < perSite
    );
  }

  #take({ connection, addressGroup, site }: ReadSource): void {
    this.#total += 1;
    this.#active.addRead(connection, addressGroup, site);
  }

  #release({ connection, addressGroup, site }: ReadSource): void {
    this.#total -= 1;
    this.#active.remove(connection, addressGroup, site);
    this.#startNext();
  }

  /** Starts the first possible read of each queue; a site that was served moves to the end. */
  #startNext(): void {
    for (const [site, queue] of [...this.#queues]) {
      if (this.#total >= this.#limits.total) return;
      const next = [...queue].find(({ place }) => this.#mayStart(place));
      if (next === undefined) continue;
      next.start();
      if (queue.size === 0) continue;
      this.#queues.delete(site);
      this.#queues.set(site, queue);
    }
  }
}

/** Counts by connection, address or site, which never collide. Zero counts are not stored. */
class Counts {
  readonly #counts = new Map<unknown, number>();

  of(key: unknown): number {
    return this.#counts.get(key) ?? 0;
  }

  addRead(...keys: readonly unknown[]): void {
    for (const key of keys) this.#counts.set(key, this.of(key) + 1);
  }

  remove(...keys: readonly unknown[]): void {
    for (const key of keys) {
      const left = this.of(key) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
  }
}
