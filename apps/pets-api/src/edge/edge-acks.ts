import { Inject, Injectable } from '@nestjs/common';
import type { Database, NotificationListener } from '@pets/persistence';
import type { EdgeAcknowledgements } from '../domains/edge-ports.js';
import type { Config } from '../platform/config.js';
import { CONFIG, NOTIFICATIONS } from '../platform/providers.js';
import { EdgeFeedRepository } from './edge-feed.repository.js';
import { AwaitedVersions } from './sessions/awaited-versions.js';
import { staleSeconds } from './staleness.js';

/** How long a wait may miss an acknowledgement that another replica stores before it learns of the wait. */
const RECHECK_MS = 100;

/** Waits until edges have applied a feed version, always with a time limit. */
@Injectable()
export class EdgeAcks implements EdgeAcknowledgements {
  /** Edges that a wait was too short for, with a version that they had not applied then. */
  private late: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly feed: EdgeFeedRepository,
    private readonly awaited: AwaitedVersions,
    @Inject(CONFIG) private readonly config: Pick<Config, 'EDGE_MAX_STALENESS'>,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
  ) {}

  /**
   * The number of edges that may still serve a route that a version ended. An unreachable edge counts until it has stopped
   * serving without contact, so that 0 means that traffic has stopped.
   */
  async countPending(version: number, db?: Database): Promise<number> {
    return this.feed.countPending(version, this.stalenessSeconds, db);
  }

  /** The version that every edge that may still serve has applied: no edge serves a route that ended up to it. */
  async appliedEverywhere(): Promise<bigint> {
    const applied = await this.feed.appliedByAll(this.stalenessSeconds);
    const { version } = await this.feed.head();
    return applied ?? BigInt(version);
  }

  /** Waits until no edge is pending, or the time is over. @returns the number of pending edges */
  async waitUntilStopped(version: number, limitMs: number): Promise<number> {
    return this.waitForZero(version, () => this.countPending(version), limitMs);
  }

  /**
   * Waits until the reachable edges have applied a version, or the time is over. An edge that is too slow holds up one wait:
   * the next ones leave it out until it has applied what it missed.
   */
  async waitUntilKnown(version: number, limitMs: number): Promise<void> {
    let behind: Awaited<ReturnType<EdgeFeedRepository['listReachableBehind']>> = [];
    const awaitedCount = async () => {
      behind = await this.feed.listReachableBehind(version);
      return behind.filter(({ edgeId, appliedVersion }) => appliedVersion >= (this.late.get(edgeId) ?? 0)).length;
    };
    if ((await this.waitForZero(version, awaitedCount, limitMs)) === 0) return;
    this.late = new Map(behind.map(({ edgeId }) => [edgeId, this.late.get(edgeId) ?? version]));
  }

  async namedThumbprintsSince(): Promise<number | null> {
    return this.feed.namedThumbprintsSince(this.stalenessSeconds);
  }

  private get stalenessSeconds(): number {
    return staleSeconds(this.config.EDGE_MAX_STALENESS);
  }

  private async waitForZero(version: number, count: () => Promise<number>, limitMs: number): Promise<number> {
    const until = Date.now() + limitMs;
    const over = new AbortController();
    let isAnnounced = false;
    try {
      for (;;) {
        const pauseMs = Math.min(RECHECK_MS, Math.max(until - Date.now(), 0));
        const acknowledged = this.notifications.next('edge_acks', pauseMs, over.signal);
        const left = await count();
        if (left === 0 || Date.now() >= until) return left;
        if (!isAnnounced) await this.awaited.announce(version);
        isAnnounced = true;
        await acknowledged;
      }
    } finally {
      over.abort();
    }
  }
}
