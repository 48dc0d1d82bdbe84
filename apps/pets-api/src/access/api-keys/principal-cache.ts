import { Injectable } from '@nestjs/common';
import { PromiseCache } from '@pets/async';
import type { Principal } from '../../http/principal.js';

/** Other replicas may accept a revoked key for this long. */
const TTL_MS = 1_000;
/** Bounds memory; keys beyond it cost a query for each request. */
const MAX_ENTRIES = 10_000;

/**
 * Principals by key, for one second from the start of the query, so that a slow database does not prolong it.
 */
@Injectable()
export class PrincipalCache {
  private readonly principals = new PromiseCache<Principal | null>({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS });

  find(hash: Buffer, query: () => Promise<Principal | null>): Promise<Principal | null> {
    return this.principals.get(hash.toString('base64'), query);
  }

  /** Makes a revocation effective at once on this replica, for the key and its sessions. */
  forgetAll(): void {
    this.principals.clear();
  }
}
