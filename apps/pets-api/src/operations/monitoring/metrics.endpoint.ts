/**
 * `/metrics` for Prometheus, at the internal listener (`INTERNAL_PORT`) and at a port of its own (`METRICS_PORT`).
 * `ApiMetrics` counts events of this process. The state of the database and the queues is read on a scrape, cached for
 * a few seconds and with a time limit. Without either setting there is no `/metrics`.
 */
import type { Server } from 'node:http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectProcessMetrics, startMetricsServer } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { EventStreams } from '../../events/streams/event-streams.service.js';
import type { Config } from '../../platform/config.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CONFIG } from '../../platform/providers.js';
import { databaseGauges, storeGauges } from './database-gauges.js';
import { queueGauges, registerGauges, totalGauges, workGauges } from './reading-gauges.js';
import { Readings } from './readings.service.js';

/** Whether metrics have a port. */
export function hasMetrics({ INTERNAL_PORT, METRICS_PORT }: Pick<Config, 'INTERNAL_PORT' | 'METRICS_PORT'>): boolean {
  return INTERNAL_PORT !== undefined || METRICS_PORT !== undefined;
}

@Injectable()
export class MetricsEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: ApiMetrics,
    private readonly readings: Readings,
    private readonly streams: EventStreams,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HOST' | 'INTERNAL_PORT' | 'METRICS_PORT'>,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!hasMetrics(this.config)) return;
    const { HOST, INTERNAL_PORT, METRICS_PORT } = this.config;
    const { registry } = this.metrics;
    collectProcessMetrics(registry);
    this.metrics.gauge('pets_event_streams_open', 'Open event streams', () => this.streams.openCount);
    registerGauges(registry, workGauges, this.readings.work);
    registerGauges(registry, databaseGauges, this.readings.database);
    registerGauges(registry, queueGauges, this.readings.queues);
    registerGauges(registry, storeGauges, this.readings.store);
    registerGauges(registry, totalGauges, this.readings.totals);
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
}
