import { Inject, Injectable } from '@nestjs/common';
import type { Database, NotificationListener } from '@pets/persistence';
import type { EdgeAcknowledgements } from '../names/edge-ports.js';
import type { Config } from '../platform/config.js';
import { CONFIG, NOTIFICATIONS } from '../platform/providers.js';
import { AcknowledgementPoll } from './acknowledgement-poll.js';
import { EdgeFeedRepository, type EdgeProgress } from './edge-feed.repository.js';
import { AwaitedVersions } from './awaited-versions.js';
import { staleSeconds } from './feed-protocol.js';

/** Waits until edges have applied a feed version, always with a time limit. */
@Injectable()
export class EdgeAcks implements EdgeAcknowledgements {
  /** Edges that a wait was too short for, with a version that they had not applied then. */
  private late: ReadonlyMap<string, number> = new Map();

  private readonly stalenessSeconds: number;
  private readonly poll: AcknowledgementPoll;

  constructor(
    private readonly feed: EdgeFeedRepository,
    awaited: AwaitedVersions,
    @Inject(CONFIG) config: Pick<Config, 'EDGE_MAX_STALENESS'>,
    @Inject(NOTIFICATIONS) notifications: NotificationListener,
  ) {
    this.stalenessSeconds = staleSeconds(config.EDGE_MAX_STALENESS);
    this.poll = new AcknowledgementPoll(feed, awaited, notifications, this.stalenessSeconds);
  }

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
    const pending = (edges: readonly EdgeProgress[]) =>
      edges.filter(({ mayServe, appliedVersion }) => mayServe && appliedVersion < version).length;
    return pending(await this.poll.wait(version, (edges) => pending(edges) === 0, limitMs));
  }

  /**
   * Waits until the reachable edges have applied a version, or the time is over. An edge that is too slow holds up one wait:
   * the next ones leave it out until it has applied what it missed.
   */
  async waitUntilKnown(version: number, limitMs: number): Promise<void> {
    const behind = (edges: readonly EdgeProgress[]) =>
      edges.filter(({ isReachable, appliedVersion }) => isReachable && appliedVersion < version);
    const isKnown = (edges: readonly EdgeProgress[]) =>
      behind(edges).every(({ edgeId, appliedVersion }) => appliedVersion < (this.late.get(edgeId) ?? 0));
    const edges = await this.poll.wait(version, isKnown, limitMs);
    if (isKnown(edges)) return;
    this.late = new Map(behind(edges).map(({ edgeId }) => [edgeId, this.late.get(edgeId) ?? version]));
  }
}
