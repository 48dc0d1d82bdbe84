import { addressGroup } from './address-group.js';

export type QuotaRefusal = 'address' | 'total';

/** A socket, as far as it matters here. */
export interface CountedConnection {
  readonly remoteAddress?: string | undefined;
  once(event: 'close', listener: () => void): unknown;
  resetAndDestroy(): unknown;
}

/**
 * How many connections may be open at a time: in all, and from one address, so that one visitor, or one machine that
 * means harm, cannot take every place. Both listeners share one quota. When all places are taken, the address that has the
 * most loses its oldest connection to one that has fewer: many machines cannot lock out everybody else.
 */
export class ConnectionQuota {
  readonly #byAddress = new Map<string, Set<CountedConnection>>();
  #open = 0;

  /**
   * @param maxPerAddress 0 limits nothing, for an edge behind a load balancer that hides who comes
   * @param onEvicted of a connection that has lost its place to another
   */
  constructor(
    private readonly maxPerAddress: number,
    private readonly maxInAll: number,
    private readonly onEvicted: () => void = () => undefined,
  ) {}

  get open(): number {
    return this.#open;
  }

  /** Takes a place until the socket closes. Returns why there is none, or undefined. */
  take(socket: CountedConnection): QuotaRefusal | undefined {
    const group = addressGroup(socket.remoteAddress ?? '');
    const count = this.#byAddress.get(group)?.size ?? 0;
    if (this.maxPerAddress > 0 && count >= this.maxPerAddress) return 'address';
    if (this.#open >= this.maxInAll && !this.#makeRoom(count)) return 'total';
    this.#add(group, socket);
    socket.once('close', () => this.#release(group, socket));
    return undefined;
  }

  /** @returns false where nobody has clearly more than this */
  #makeRoom(count: number): boolean {
    let [largest, most] = ['', count + 1];
    for (const [group, { size }] of this.#byAddress) if (size > most) [largest, most] = [group, size];
    const [oldest] = this.#byAddress.get(largest) ?? [];
    if (oldest === undefined) return false;
    this.#release(largest, oldest);
    this.onEvicted();
    oldest.resetAndDestroy();
    return true;
  }

  #add(group: string, socket: CountedConnection): void {
    const sockets = this.#byAddress.get(group) ?? new Set();
    this.#byAddress.set(group, sockets.add(socket));
    this.#open += 1;
  }

  #release(group: string, socket: CountedConnection): void {
    const sockets = this.#byAddress.get(group);
    if (sockets?.delete(socket) !== true) return;
    this.#open -= 1;
    if (sockets.size === 0) this.#byAddress.delete(group);
  }
}
