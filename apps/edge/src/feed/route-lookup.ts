import type { EdgeRoute } from '@pets/contracts/edge-feed';
import { RouteCache, RouteReader, type StoredRoute } from '../store/route-cache.js';
import { StoreDamagedError } from '../store/store-damaged-error.js';
import { mayServe } from './lease.js';

export interface RouteLookupOptions {
  readonly leaseMs: number;
  readonly now: () => number;
  /** Called once for each table. */
  readonly onDamaged: (reason: string) => void;
}

/** The routes of a serving process: the lease is checked first, then the cache of hot rows is asked, then the table. */
export class RouteLookup {
  readonly #options: RouteLookupOptions;
  #cache: RouteCache | undefined;
  #contactAtMs: number | undefined;
  #thumbprint: string | null = null;
  #isDamaged = false;

  constructor(options: RouteLookupOptions) {
    this.#options = options;
  }

  /** @returns undefined for an unknown host, for every host without a lease, and for a damaged row */
  readonly find = (host: string): EdgeRoute | undefined => this.findStored(host)?.route;

  /** The same, with the row that answers. */
  findStored(host: string): StoredRoute | undefined {
    if (!this.hasLease) return undefined;
    try {
      return this.#cache?.find(host);
    } catch (error) {
      this.#reportDamage(error);
      return undefined;
    }
  }

  get hasLease(): boolean {
    const { now, leaseMs } = this.#options;
    return mayServe(this.#contactAtMs, now(), leaseMs);
  }

  /** The thumbprint for HTTP-01 answers. */
  get thumbprint(): string | null {
    return this.#thumbprint;
  }

  /** @param contactAtMs undefined ends the lease */
  setContact(contactAtMs: number | undefined): void {
    this.#contactAtMs = contactAtMs;
  }

  /** Answers from another file from now on; nothing when it is damaged. */
  replaceTable(file: string, thumbprint: string | null): void {
    this.close();
    this.#thumbprint = thumbprint;
    this.#isDamaged = false;
    try {
      this.#cache = new RouteCache(new RouteReader(file));
    } catch (error) {
      this.#reportDamage(error);
    }
  }

  /** Drops rows that have changed in the file. */
  change(rows: readonly string[], thumbprint: string | null): void {
    this.#cache?.dropRows(rows);
    this.#thumbprint = thumbprint;
  }

  close(): void {
    this.#cache?.close();
    this.#cache = undefined;
  }

  /** @throws every other error */
  #reportDamage(error: unknown): void {
    if (!(error instanceof StoreDamagedError)) throw error;
    if (!this.#isDamaged) this.#options.onDamaged(error.message);
    this.#isDamaged = true;
  }
}

/** Whether visitors over TLS get anything that the owner of the host has published. */
export function isServed(route: EdgeRoute | undefined): boolean {
  if (route === undefined || route.certificateId === null) return false;
  return route.serve !== null && route.serve.kind !== 'suspended';
}
