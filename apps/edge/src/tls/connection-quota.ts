import { addressGroup } from './address-group.js';

export type QuotaRefusal = 'address' | 'total';

/** A socket, as far as it matters here. */
export interface CountedConnection {
  readonly remoteAddress?: string | undefined;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * How many connections may be open at a time: in all, and from one address, so that one visitor, or one machine that
 * means harm, cannot take every place. Both listeners share one quota.
 */
export class ConnectionQuota {
  readonly #byAddress = new Map<string, number>();
  #open = 0;

  /** @param maxPerAddress 0 limits nothing, for an edge behind a load balancer that hides who comes */
  constructor(
    private readonly maxPerAddress: number,
    private readonly maxInAll: number,
  ) {}

  get open(): number {
    return this.#open;
  }

  /** Takes a place until the socket closes. Returns why there is none, or undefined. */
  take(socket: CountedConnection): QuotaRefusal | undefined {
    const group = addressGroup(socket.remoteAddress ?? '');
    const ofGroup = this.#byAddress.get(group) ?? 0;
    if (this.#open >= this.maxInAll) return 'total';
    if (this.maxPerAddress > 0 && ofGroup >= this.maxPerAddress) return 'address';
    this.#open += 1;
    this.#byAddress.set(group, ofGroup + 1);
    socket.once('close', () => this.#release(group));
    return undefined;
  }

  #release(group: string): void {
    this.#open -= 1;
    const left = (this.#byAddress.get(group) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(group, left);
    else this.#byAddress.delete(group);
  }
}
