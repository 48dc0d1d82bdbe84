import { Inject, Injectable } from '@nestjs/common';
import type { Messaging, QueueState, StoreMemory } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import { CachedQuery, type Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CLOCK, DATABASE, LOG, MESSAGING } from '../../platform/providers.js';
import { DatabaseReadingsRepository, type DatabaseReadings } from './database-readings.repository.js';
import { ReadingsRepository, type TotalReadings, type WorkReadings } from './readings.repository.js';
import { SharedReading, type Shared } from './shared-reading.js';

/** Shorter than a scrape interval, so that a second scraper costs nothing. */
const KEEP_MS = 10_000;
/** For values that change by the hour. */
const KEEP_LONG_MS = 60_000;
/** Prometheus waits for 10 s by default. */
const LIMIT_MS = 3_000;
/** Leaves time to read the previous totals. */
const TOTALS_WAIT_MS = 2_000;

export interface CurrentWork extends WorkReadings {
  /** Time since the first change was published that the slowest reachable edge lacks. */
  readonly feedSecondsBehind: number;
}

/** The state of the database and the queues, read when it is asked for and not known from a few seconds before. */
@Injectable()
export class Readings {
  readonly work: CachedQuery<CurrentWork>;
  readonly database: CachedQuery<DatabaseReadings>;
  readonly queues: CachedQuery<readonly QueueState[]>;
  /** Null while PostgreSQL holds the queues. */
  readonly store: CachedQuery<StoreMemory | null>;
  readonly totals: CachedQuery<Shared<TotalReadings> | null>;
  private readonly feedAges = new FeedAges();

  constructor(
    @Inject(DATABASE) db: Database,
    private readonly readings: ReadingsRepository,
    databaseReadings: DatabaseReadingsRepository,
    private readonly metrics: ApiMetrics,
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const shared = new SharedReading('totals', () => readings.readTotals(clock()), {
      ...{ db, keepMs: KEEP_LONG_MS, waitMs: TOTALS_WAIT_MS },
      onFailure: (error) => this.fail('database', error),
    });
    this.work = this.cache('database', () => this.readWork());
    this.database = this.cache('database', () => databaseReadings.readDatabase());
    this.queues = this.cache('queues', () => messaging.queueStates());
    this.store = this.cache('queues', () => messaging.storeMemory());
    this.totals = this.cache('database', () => shared.current());
  }

  private async readWork(): Promise<CurrentWork> {
    const work = await this.readings.readWork();
    const { feedVersion, versionsBehind } = work.edges;
    const nowMs = performance.now();
    this.feedAges.record(feedVersion, nowMs);
    return { ...work, feedSecondsBehind: this.feedAges.secondsBehind(feedVersion - versionsBehind, nowMs) };
  }

  private cache<T>(source: 'database' | 'queues', read: () => Promise<T>): CachedQuery<T> {
    return new CachedQuery(read, {
      ...{ keepMs: KEEP_MS, limitMs: LIMIT_MS },
      onFailure: (error) => this.fail(source, error),
    });
  }

  private fail(source: 'database' | 'queues', error: unknown): void {
    this.metrics.readingFailed(source);
    this.log.warn({ err: error, source }, 'metrics collection incomplete');
  }
}

/** Samples of six hours, at one in ten seconds. */
const MAX_SAMPLES = 2_048;

interface Sample {
  readonly version: number;
  readonly atMs: number;
}

/**
 * Remembers when the feed had which version, to tell how long ago the first change was published that an edge lacks. The
 * database does not store when a version was published, since that would cost a write at each change.
 */
export class FeedAges {
  #samples: Sample[] = [];

  /** @param atMs of a clock that never goes back */
  record(version: number, atMs: number): void {
    const last = this.#samples.at(-1);
    // A restored database continues at a lower version.
    if (last !== undefined && version < last.version) this.#samples = [];
    if (version === last?.version) return;
    this.#samples.push({ version, atMs });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /**
   * Seconds since a reading first saw a version after `applied`: at most the pause between two readings less than the truth;
   * 0 when `applied` is the newest.
   */
  secondsBehind(applied: number, nowMs: number): number {
    const missed = this.#samples.find(({ version }) => version > applied);
    return missed === undefined ? 0 : (nowMs - missed.atMs) / 1_000;
  }
}
