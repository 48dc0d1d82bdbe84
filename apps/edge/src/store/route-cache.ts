import { LRUCache } from 'lru-cache';
import type { RouteReader, StoredRoute } from './route-reader.js';

/** About 15 MB. */
const DEFAULT_MAX_HOSTS = 20_000;

/**
 * The routes of the hosts that were asked for last, in front of a `RouteReader`. A host without a route is not kept: it costs
 * one look-up, and no number of unknown hosts evicts a known one.
 */
export class RouteCache {
  readonly #routes: LRUCache<string, StoredRoute>;
  /** The cached hosts that a stored row answered. */
  readonly #hostsOfRow = new Map<string, Set<string>>();
  readonly #reader: Pick<RouteReader, 'find' | 'close'>;

  constructor(reader: Pick<RouteReader, 'find' | 'close'>, maxHosts = DEFAULT_MAX_HOSTS) {
    this.#reader = reader;
    this.#routes = new LRUCache({ max: maxHosts, dispose: ({ row }, host) => this.#forget(row, host) });
  }

  /** @throws StoreDamagedError */
  find(host: string): StoredRoute | undefined {
    const cached = this.#routes.get(host);
    if (cached !== undefined) return cached;
    const found = this.#reader.find(host);
    if (found === undefined) return undefined;
    this.#routes.set(host, found);
    const hosts = this.#hostsOfRow.get(found.row);
    if (hosts === undefined) this.#hostsOfRow.set(found.row, new Set([host]));
    else hosts.add(host);
    return found;
  }

  /** Drops every host that one of these rows answered. */
  dropRows(rows: readonly string[]): void {
    for (const row of rows) {
      for (const host of [...(this.#hostsOfRow.get(row) ?? [])]) this.#routes.delete(host);
    }
  }

  close(): void {
    this.#routes.clear();
    this.#reader.close();
  }

  #forget(row: string, host: string): void {
    const hosts = this.#hostsOfRow.get(row);
    hosts?.delete(host);
    if (hosts?.size === 0) this.#hostsOfRow.delete(row);
  }
}
