/**
 * `/metrics` for Prometheus, at the internal listener (`INTERNAL_PORT`) and at a port of its own (`METRICS_PORT`).
 * `ApiMetrics` counts events of this process. The state of the database and the queues is read on a scrape, cached for
 * a few seconds and with a time limit. Without either setting there is no `/metrics`.
 */
import type { Server } from 'node:http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Messaging } from '@pets/messaging';
import { CachedQuery, collectProcessMetrics, startMetricsServer, type Logger } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { EventStreams } from '../events/streams/event-streams.service.js';
import type { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
import { CLOCK, CONFIG, LOG, MESSAGING } from '../platform/providers.js';
import { certificateGauges, queueGauges, registerGauges, workGauges } from './reading-gauges.js';
import { ReadingsRepository } from './readings.repository.js';

/** Shorter than a scrape interval, so that a second scraper costs nothing. */
const KEEP_MS = 10_000;
/** For values that change by the hour. */
const KEEP_LONG_MS = 60_000;
/** Prometheus waits for 10 s by default. */
const LIMIT_MS = 3_000;

/** Whether metrics have a port. */
export function hasMetrics({ INTERNAL_PORT, METRICS_PORT }: Pick<Config, 'INTERNAL_PORT' | 'METRICS_PORT'>): boolean {
  return INTERNAL_PORT !== undefined || METRICS_PORT !== undefined;
}

@Injectable()
export class MetricsEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: ApiMetrics,
    private readonly readings: ReadingsRepository,
    private readonly streams: EventStreams,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HOST' | 'INTERNAL_PORT' | 'METRICS_PORT'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!hasMetrics(this.config)) return;
    const { HOST, INTERNAL_PORT, METRICS_PORT } = this.config;
    const { registry } = this.metrics;
    collectProcessMetrics(registry);
    this.metrics.gauge('pets_event_streams_open', 'Open event streams', () => this.streams.openCount);
    const { readings, messaging } = this;
    registerGauges(
      registry,
      workGauges,
      this.cache('database', KEEP_MS, () => readings.readWork()),
    );
    registerGauges(
      registry,
      queueGauges,
      this.cache('queues', KEEP_MS, () => messaging.queueStates()),
    );
    const readCertificates = () => readings.readCertificates(this.clock());
    registerGauges(registry, certificateGauges, this.cache('database', KEEP_LONG_MS, readCertificates));
    const isApart = METRICS_PORT !== undefined && METRICS_PORT !== INTERNAL_PORT;
    if (isApart) this.server = await startMetricsServer(HOST, METRICS_PORT, registry);
  }

  /** Adds the route, which belongs to the internal listener. */
  register(fastify: FastifyInstance): void {
    fastify.get('/metrics', async (_request, reply) => {
      const { registry } = this.metrics;
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private cache<T>(source: 'database' | 'queues', keepMs: number, read: () => Promise<T>): CachedQuery<T> {
    const onFailure = (error: unknown) => {
      this.metrics.readingFailed(source);
      this.log.warn({ err: error, source }, 'metrics collection incomplete');
    };
    return new CachedQuery(read, { keepMs, limitMs: LIMIT_MS, onFailure });
  }
}
