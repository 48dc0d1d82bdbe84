import { Inject, Injectable } from '@nestjs/common';
import type { Messaging, QueueState } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import { CachedQuery, type Logger } from '@pets/platform';
import type { Clock } from '../platform/clock.js';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
import { CLOCK, DATABASE, LOG, MESSAGING } from '../platform/providers.js';
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

/** The state of the database and the queues, read when it is asked for and not known from a few seconds before. */
@Injectable()
export class Readings {
  readonly work: CachedQuery<WorkReadings>;
  readonly queues: CachedQuery<readonly QueueState[]>;
  readonly totals: CachedQuery<Shared<TotalReadings> | null>;

  constructor(
    @Inject(DATABASE) db: Database,
    readings: ReadingsRepository,
    private readonly metrics: ApiMetrics,
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const shared = new SharedReading('totals.2', () => readings.readTotals(clock()), {
      ...{ db, keepMs: KEEP_LONG_MS, waitMs: TOTALS_WAIT_MS },
      onFailure: (error) => this.fail('database', error),
    });
    this.work = this.cache('database', () => readings.readWork());
    this.queues = this.cache('queues', () => messaging.queueStates());
    this.totals = this.cache('database', () => shared.current());
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
