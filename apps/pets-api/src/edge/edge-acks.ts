import { Inject, Injectable } from '@nestjs/common';
import type { Database, NotificationListener } from '@pets/persistence';
import type { EdgeAcknowledgements } from '../domains/edge-ports.js';
import type { Config } from '../platform/config.js';
import { CONFIG, NOTIFICATIONS } from '../platform/providers.js';
import { EdgeFeedRepository } from './edge-feed.repository.js';

/** An edge that is told not to serve without the feed stops within this time of losing it. */
const MIN_STALENESS_SECONDS = 5;

/** Waiting for edges to apply a feed version, always for a limited time. */
@Injectable()
export class EdgeAcks implements EdgeAcknowledgements {
  constructor(
    private readonly feed: EdgeFeedRepository,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
  ) {}

  /**
   * How many edges may still serve what a version ended. An unreachable edge counts until it has
   * stopped serving on its own: only then does 0 mean that traffic has stopped.
   */
  async countPending(version: number, db?: Database): Promise<number> {
    return this.feed.countPending(version, this.stalenessSeconds, db);
  }

  /** What every edge that may still serve has applied: what was ended up to it is served nowhere. */
  async appliedEverywhere(): Promise<bigint> {
    const [applied, { version }] = [await this.feed.appliedByAll(this.stalenessSeconds), await this.feed.head()];
    return applied ?? BigInt(version);
  }

  /** Waits until no edge is pending, or the time is over. Returns how many are left. */
  async waitUntilStopped(version: number, limitMs: number): Promise<number> {
    return this.waitForZero(() => this.countPending(version), limitMs);
  }

  /** Waits until the edges that can be reached have applied a version, or the time is over. */
  async waitUntilKnown(version: number, limitMs: number): Promise<void> {
    await this.waitForZero(() => this.feed.countReachableBehind(version), limitMs);
  }

  private get stalenessSeconds(): number {
    return staleSeconds(this.config.EDGE_MAX_STALENESS);
  }

  private async waitForZero(count: () => Promise<number>, limitMs: number): Promise<number> {
    const until = Date.now() + limitMs;
    const over = new AbortController();
    try {
      for (;;) {
        const acknowledged = this.notifications.next('edge_acks', Math.max(until - Date.now(), 0), over.signal);
        const left = await count();
        if (left === 0 || Date.now() >= until) return left;
        await acknowledged;
      }
    } finally {
      over.abort();
    }
  }
}

/** After this long without contact an edge serves nothing, by `EDGE_MAX_STALENESS`. */
export function staleSeconds(maxStaleness: number): number {
  return Math.max(maxStaleness, MIN_STALENESS_SECONDS);
}
