import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { outsideTenants, type Database, type NotificationListener } from '@pets/persistence';
import { sql } from 'kysely';
import type { EdgeAcknowledgements } from '../names/edge-ports.js';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE, NOTIFICATIONS } from '../platform/providers.js';
import { EdgeFeedRepository, type EdgeProgress } from './edge-feed.repository.js';
import { staleSeconds } from './feed-protocol.js';

/** No wait is longer; a replica forgets an announced version after this time. */
const MAX_WAIT_MS = 5_000;

/** Concurrent waits from which on every version counts as awaited. */
const MAX_WAITS = 1_000;

/**
 * The versions for whose acknowledgements some replica waits: those are written at once, and waiting replicas are notified.
 * An announcement that is lost costs the waiting replica up to one interval of its polling.
 */
@Injectable()
export class AwaitedVersions implements OnModuleInit, OnApplicationShutdown {
  /** When each wait ends. */
  readonly #ends = new Map<number, number>();
  readonly #listeners = new Set<() => void>();
  #stopListening: () => void = () => undefined;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
  ) {}

  onModuleInit(): void {
    this.#stopListening = this.notifications.on('edge_ack_waits', (payload) => {
      if (/^\d{1,15}$/.test(payload)) this.#add(Number(payload));
    });
  }

  onApplicationShutdown(): void {
    this.#stopListening();
  }

  /** Says that this replica waits for versions. */
  async announce(versions: readonly number[]): Promise<void> {
    for (const version of versions) this.#add(version);
    const payloads = versions.map(String);
    await sql`select pg_notify('edge_ack_waits', version) from unnest(${payloads}::text[]) as w (version)`.execute(
      this.db,
    );
  }

  /** Whether somebody waits for a version in (after, upTo]. */
  isAwaited(after: number, upTo: number): boolean {
    this.#forgetEnded();
    if (this.#ends.size > MAX_WAITS) return true;
    for (const version of this.#ends.keys()) if (after < version && version <= upTo) return true;
    return false;
  }

  /** Calls back when another version is awaited. */
  onAnnounced(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #add(version: number): void {
    this.#forgetEnded();
    if (this.#ends.size > MAX_WAITS) return;
    this.#ends.delete(version); // to the end: the map is in order of ends
    this.#ends.set(version, performance.now() + MAX_WAIT_MS);
    for (const listener of this.#listeners) listener();
  }

  #forgetEnded(): void {
    const now = performance.now();
    for (const [version, end] of this.#ends) {
      if (end > now) return;
      this.#ends.delete(version);
    }
  }
}

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

/** How long a wait may miss an acknowledgement that another replica stores before it learns of the wait. */
const RECHECK_MS = 100;

type IsDone = (edges: readonly EdgeProgress[]) => boolean;

interface Wait {
  readonly version: number;
  readonly isDone: IsDone;
  readonly endsAtMs: number;
  readonly resolve: (edges: readonly EdgeProgress[]) => void;
  readonly reject: (error: unknown) => void;
  isAnnounced: boolean;
}

/**
 * All waits of this replica for acknowledgements of edges, with one statement at a time: the number of waits does not change
 * what they cost the database.
 */
export class AcknowledgementPoll {
  readonly #waits = new Set<Wait>();
  #isRunning = false;
  #wake: () => void = () => undefined;

  constructor(
    private readonly feed: Pick<EdgeFeedRepository, 'listProgress'>,
    private readonly awaited: AwaitedVersions,
    private readonly notifications: NotificationListener,
    private readonly stalenessSeconds: number,
  ) {}

  /**
   * Waits until the edges are as `isDone` wants them, or the time is over.
   * @returns the edges as they were read last
   */
  wait(version: number, isDone: IsDone, limitMs: number): Promise<readonly EdgeProgress[]> {
    return new Promise((resolve, reject) => {
      this.#waits.add({ version, isDone, endsAtMs: Date.now() + limitMs, resolve, reject, isAnnounced: false });
      this.#wake();
      if (!this.#isRunning) void outsideTenants(() => this.#run());
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#waits.size > 0) await this.#round();
    } catch (error) {
      for (const wait of this.#waits) wait.reject(error);
      this.#waits.clear();
    } finally {
      this.#isRunning = false;
      this.#wake = () => undefined;
    }
  }

  async #round(): Promise<void> {
    const added = new AbortController();
    this.#wake = () => added.abort();
    const waits = [...this.#waits];
    const firstEndMs = Math.min(...waits.map(({ endsAtMs }) => endsAtMs));
    const pauseMs = Math.min(RECHECK_MS, Math.max(firstEndMs - Date.now(), 0));
    const acknowledged = this.notifications.next('edge_acks', pauseMs, added.signal);
    try {
      const edges = await this.feed.listProgress(this.stalenessSeconds);
      for (const wait of waits) {
        if (!wait.isDone(edges) && Date.now() < wait.endsAtMs) continue;
        this.#waits.delete(wait);
        wait.resolve(edges);
      }
      await this.#announce(waits.filter((wait) => !wait.isAnnounced && this.#waits.has(wait)));
      if (this.#waits.size > 0) await acknowledged;
    } finally {
      added.abort();
    }
  }

  async #announce(waits: readonly Wait[]): Promise<void> {
    if (waits.length === 0) return;
    for (const wait of waits) wait.isAnnounced = true;
    await this.awaited.announce([...new Set(waits.map(({ version }) => version))]);
  }
}
