import { Inject, Injectable } from '@nestjs/common';
import type { Messaging, QueueState } from '@pets/messaging';
import { CachedQuery, type Logger } from '@pets/platform';
import type { Clock } from '../platform/clock.js';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
import { CLOCK, LOG, MESSAGING } from '../platform/providers.js';
import { ReadingsRepository, type CertificateReadings, type WorkReadings } from './readings.repository.js';

/** Shorter than a scrape interval, so that a second scraper costs nothing. */
const KEEP_MS = 10_000;
/** For values that change by the hour. */
const KEEP_LONG_MS = 60_000;
/** Prometheus waits for 10 s by default. */
const LIMIT_MS = 3_000;

/** The state of the database and the queues, read when it is asked for and not known from a few seconds before. */
@Injectable()
export class Readings {
  readonly work: CachedQuery<WorkReadings>;
  readonly queues: CachedQuery<readonly QueueState[]>;
  readonly certificates: CachedQuery<CertificateReadings>;

  constructor(
    readings: ReadingsRepository,
    private readonly metrics: ApiMetrics,
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.work = this.cache('database', KEEP_MS, () => readings.readWork());
    this.queues = this.cache('queues', KEEP_MS, () => messaging.queueStates());
    this.certificates = this.cache('database', KEEP_LONG_MS, () => readings.readCertificates(clock()));
  }

  private cache<T>(source: 'database' | 'queues', keepMs: number, read: () => Promise<T>): CachedQuery<T> {
    const onFailure = (error: unknown) => {
      this.metrics.readingFailed(source);
      this.log.warn({ err: error, source }, 'metrics collection incomplete');
    };
    return new CachedQuery(read, { keepMs, limitMs: LIMIT_MS, onFailure });
  }
}
