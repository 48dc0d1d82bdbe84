import type { Socket } from 'node:net';
import { clientGroupOf } from './client-address.js';

export type QuotaRefusal = 'address' | 'total';

/** The part of a socket that the quota needs. */
export interface CountedConnection {
  readonly remoteAddress?: string | undefined;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Limits the open connections in total and per address, so that no single machine can use all of them. Both listeners share
 * one quota. When the total is reached, the address with the most connections loses its oldest one to an address with fewer,
 * so that many machines together cannot lock out all others.
 */
export class ConnectionQuota<C extends CountedConnection = Socket> {
  readonly #maxPerAddress: number;
  readonly #maxTotal: number;
  readonly #evict: (connection: C) => void;
  readonly #evictLong: () => boolean;
  readonly #byAddress = new Map<string, Set<C>>();
  #open = 0;

  /**
   * @param maxPerAddress 0 for no limit, behind a load balancer that hides the addresses of visitors
   * @param evict closes a connection at once, in favor of another
   * @param evictLong ends one that others may need the place of; returns false when there is none
   */
  constructor(
    maxPerAddress: number,
    maxTotal: number,
    evict: (connection: C) => void,
    evictLong: () => boolean = () => false,
  ) {
    this.#maxPerAddress = maxPerAddress;
    this.#maxTotal = maxTotal;
    this.#evict = evict;
    this.#evictLong = evictLong;
  }

  get open(): number {
    return this.#open;
  }

  /** Counts a connection until it closes. @returns the limit that it would exceed, or undefined */
  admit(socket: C): QuotaRefusal | undefined {
    const group = clientGroupOf(socket);
    const count = this.#byAddress.get(group)?.size ?? 0;
    if (this.#maxPerAddress > 0 && count >= this.#maxPerAddress) return 'address';
    if (this.#open >= this.#maxTotal && !this.#evictLong() && !this.#evictForSmallerGroup(count)) return 'total';
    this.#add(group, socket);
    socket.once('close', () => this.#release(group, socket));
    return undefined;
  }

  /** @returns false when no address has at least two connections more */
  #evictForSmallerGroup(count: number): boolean {
    let largestGroup = '';
    let largestSize = count + 1;
    for (const [group, { size }] of this.#byAddress) {
      if (size <= largestSize) continue;
      largestGroup = group;
      largestSize = size;
    }
    const [oldest] = this.#byAddress.get(largestGroup) ?? [];
    if (oldest === undefined) return false;
    this.#release(largestGroup, oldest);
    this.#evict(oldest);
    return true;
  }

  #add(group: string, socket: C): void {
    const sockets = this.#byAddress.get(group) ?? new Set<C>();
    this.#byAddress.set(group, sockets.add(socket));
    this.#open += 1;
  }

  #release(group: string, socket: C): void {
    const sockets = this.#byAddress.get(group);
    if (sockets?.delete(socket) !== true) return;
    this.#open -= 1;
    if (sockets.size === 0) this.#byAddress.delete(group);
  }
}
