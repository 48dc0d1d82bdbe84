/** How many may read from the storage at a time. */
export interface ReadLimits {
  readonly total: number;
  readonly perConnection: number;
  readonly perAddress: number;
  readonly perSite: number;
}

/** Who reads, and of what. */
export interface Place {
  readonly connection: object;
  readonly addressGroup: string;
  /** The deployment: one project's. */
  readonly site: string;
}

/** There was no place in time. */
export class StorageBusyError extends Error {
  constructor() {
    super('too many read from the storage');
  }
}

interface Waiting {
  readonly place: Place;
  readonly begin: () => void;
}

/** More of one address, or of one site, do not even wait. */
const MOST_WAITING = { perAddress: 256, perSite: 512 } as const;

/**
 * Lets so many reads through at a time, in all and of one connection, one address and one site. The others wait, those of
 * each site in a line of their own, and the sites take turns: who asks one site for a lot keeps nobody from another.
 */
export class StorageReads {
  readonly #active = new Counts();
  readonly #queued = new Counts();
  readonly #lines = new Map<string, Set<Waiting>>();
  #total = 0;

  /** @param limits an address has none of its own with Infinity, as behind a load balancer */
  constructor(private readonly limits: ReadLimits) {}

  /** Under way at the moment. */
  get active(): number {
    return this.#total;
  }

  /** @throws StorageBusyError after so long without a place, and what the read throws */
  async run<Result>(place: Place, waitMs: number, read: () => Promise<Result>): Promise<Result> {
    if (this.#mayBegin(place)) this.#take(place);
    else await this.#wait(place, waitMs);
    try {
      return await read();
    } finally {
      this.#release(place);
    }
  }

  /** Resolves with a place taken. */
  #wait(place: Place, waitMs: number): Promise<void> {
    const { addressGroup, site } = place;
    const mostOfAddress = Number.isFinite(this.limits.perAddress) ? MOST_WAITING.perAddress : Infinity;
    if (this.#queued.of(addressGroup) >= mostOfAddress || this.#queued.of(site) >= MOST_WAITING.perSite)
      return Promise.reject(new StorageBusyError());
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(site) ?? new Set();
      this.#lines.set(site, line);
      const leave = () => {
        clearTimeout(timer);
        this.#queued.remove(addressGroup, site);
        line.delete(waiting);
        if (line.size === 0) this.#lines.delete(site);
      };
      const begin = () => {
        leave();
        this.#take(place);
        resolve();
      };
      const waiting: Waiting = { place, begin };
      const timer = setTimeout(() => {
        leave();
        reject(new StorageBusyError());
      }, waitMs).unref();
      line.add(waiting);
      this.#queued.add(addressGroup, site);
    });
  }

  #mayBegin({ connection, addressGroup, site }: Place): boolean {
    const { total, perConnection, perAddress, perSite } = this.limits;
    return (
      this.#total < total &&
      this.#active.of(connection) < perConnection &&
      this.#active.of(addressGroup) < perAddress &&
      this.#active.of(site) < perSite
    );
  }

  #take({ connection, addressGroup, site }: Place): void {
    this.#total += 1;
    this.#active.add(connection, addressGroup, site);
  }

  #release({ connection, addressGroup, site }: Place): void {
    this.#total -= 1;
    this.#active.remove(connection, addressGroup, site);
    this.#beginNext();
  }

  /** Of each line its first who may; a site that had its turn goes to the end. */
  #beginNext(): void {
    for (const [site, line] of [...this.#lines]) {
      if (this.#total >= this.limits.total) return;
      const next = [...line].find(({ place }) => this.#mayBegin(place));
      if (next === undefined) continue;
      next.begin();
      if (line.size === 0) continue;
      this.#lines.delete(site);
      this.#lines.set(site, line);
    }
  }
}

/** Of connections, addresses and sites, which are never the same; those without any are not kept. */
class Counts {
  readonly #counts = new Map<unknown, number>();

  of(key: unknown): number {
    return this.#counts.get(key) ?? 0;
  }

  add(...keys: readonly unknown[]): void {
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
