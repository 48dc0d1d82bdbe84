import { Injectable } from '@nestjs/common';
import { PromiseCache } from '@pets/async';
import type { Principal } from '../../http/principal.js';

/** How long another replica may accept a key that was revoked. */
const TTL_MS = 1_000;
/** Keys in use at once on one replica; more cost queries, not memory. */
const MAX_ENTRIES = 10_000;

/**
 * The principals of the keys seen in the last second. The second is counted from the start of the query, so that a slow
 * database does not prolong it.
 */
@Injectable()
export class PrincipalCache {
  private readonly principals = new PromiseCache<Principal | null>({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS });

  find(hash: Buffer, query: () => Promise<Principal | null>): Promise<Principal | null> {
    return this.principals.get(hash.toString('base64'), query);
  }

  /** Makes a revocation take effect at once on this replica, for a key and its sessions. */
  forgetAll(): void {
    this.principals.clear();
  }
}
