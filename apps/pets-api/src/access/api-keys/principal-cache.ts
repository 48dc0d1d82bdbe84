import { Injectable } from '@nestjs/common';
import type { Principal } from '../../http/principal.js';
import { ExpiringMap } from './expiring-map.js';

/** So long may another replica take a key that was revoked. */
const LIFETIME_MS = 1_000;
/** Keys in use at once on one replica; more cost look-ups, not memory. */
const MAX_ENTRIES = 10_000;

/**
 * Who the keys seen in the last second belong to. An entry is the look-up itself, so that requests that come together
 * share one; its second begins with the look-up, not with the answer, so that a slow database does not prolong it.
 */
@Injectable()
export class PrincipalCache {
  private readonly lookUps = new ExpiringMap<string, Promise<Principal | null>>({
    lifetimeMs: LIFETIME_MS,
    maxEntries: MAX_ENTRIES,
  });

  async find(hash: Buffer, lookUp: () => Promise<Principal | null>): Promise<Principal | null> {
    const id = hash.toString('base64');
    const known = this.lookUps.get(id);
    if (known !== undefined) return known;
    const found = lookUp();
    this.lookUps.set(id, found);
    try {
      return await found;
    } catch (error) {
      // A failure is no answer: the next request asks again.
      if (this.lookUps.get(id) === found) this.lookUps.delete(id);
      throw error;
    }
  }

  /** Makes a revocation count at once on this replica, for a key and its sessions. */
  forgetAll(): void {
    this.lookUps.clear();
  }
}
