/**
 * `/metrics` on a port of its own (`METRICS_PORT`), for Prometheus. What this process does is counted as it happens, by
 * `ApiMetrics`; how things stand in the database and the queues is read when somebody asks, at most every few seconds and
 * within a limit. Without the setting nothing is read, and nothing listens.
 */
import type { Server } from 'node:http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Messaging } from '@pets/messaging';
import { CachedReading, collectProcessMetrics, startMetricsServer, type Logger } from '@pets/platform';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { EventStreams } from '../event-stream/event-streams.service.js';
import { CLOCK, CONFIG, LOG, MESSAGING } from '../providers.js';
import { ApiMetrics } from './api-metrics.js';
import { certificateGauges, queueGauges, registerGauges, workGauges } from './reading-gauges.js';
import { ReadingsRepository } from './readings.repository.js';

/** Prometheus asks every 15 s or more often, and some ask twice; what is read is no older than this. */
const KEEP_MS = 10_000;
/** Of what changes by the hour. */
const KEEP_LONG_MS = 60_000;
/** Prometheus waits for 10 s, unless told otherwise. */
const LIMIT_MS = 3_000;

@Injectable()
export class MetricsEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: ApiMetrics,
    private readonly readings: ReadingsRepository,
    private readonly streams: EventStreams,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HOST' | 'METRICS_PORT'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { HOST, METRICS_PORT } = this.config;
    if (METRICS_PORT === undefined) return;
    const { registry } = this.metrics;
    collectProcessMetrics(registry);
    this.metrics.gauge('pets_event_streams_open', 'Streams of events that are open', () => this.streams.openCount);
    const { readings, messaging } = this;
    registerGauges(
      registry,
      workGauges,
      this.reading('database', KEEP_MS, () => readings.readWork()),
    );
    registerGauges(
      registry,
      queueGauges,
      this.reading('queues', KEEP_MS, () => messaging.queueStates()),
    );
    const readCertificates = () => readings.readCertificates(this.clock());
    registerGauges(registry, certificateGauges, this.reading('database', KEEP_LONG_MS, readCertificates));
    this.server = await startMetricsServer(HOST, METRICS_PORT, registry);
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private reading<T>(source: 'database' | 'queues', keepMs: number, read: () => Promise<T>): CachedReading<T> {
    const onFailure = (error: unknown) => {
      this.metrics.readingFailed(source);
      this.log.warn({ err: error, source }, 'not everything can be told to Prometheus');
    };
    return new CachedReading(read, { keepMs, limitMs: LIMIT_MS, onFailure });
  }
}
