/**
 * `/metrics` for Prometheus, at the internal listener (`INTERNAL_PORT`) and at a port of its own (`METRICS_PORT`).
 * `ApiMetrics` counts events of this process. The state of the database and the queues is read on a scrape, cached for
 * a few seconds and with a time limit. Without either setting there is no `/metrics`.
 */
import type { Server } from 'node:http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { StoreMemory } from '@pets/messaging';
import { collectProcessMetrics, startMetricsServer } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { EventStreams } from '../../events/streams/event-streams.service.js';
import type { Config } from '../../platform/config.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CONFIG } from '../../platform/providers.js';
import type { DatabaseReadings } from './database-readings.repository.js';
import { one, queueGauges, registerGauges, totalGauges, workGauges, type ReadGauge } from './reading-gauges.js';
import { Readings } from './readings.service.js';

/** The database server, equal on every replica. */
const databaseGauges: Readonly<Record<string, ReadGauge<DatabaseReadings>>> = {
  pets_database_connections: {
    help: 'Open connections to the database server, of all clients',
    values: ({ connections }) => one(connections),
  },
  pets_database_connection_limit: {
    help: 'Connections that the database server accepts, without those for administrators',
    values: ({ connectionLimit }) => one(connectionLimit),
  },
  pets_database_oldest_transaction_seconds: {
    help: 'Age of the oldest open transaction',
    values: ({ oldestTransactionSeconds }) => one(oldestTransactionSeconds),
  },
  pets_database_transaction_id_age: {
    help: 'Transactions since the oldest database was frozen; PostgreSQL stops accepting writes at 2 147 483 648',
    values: ({ transactionIdAge }) => one(transactionIdAge),
  },
  pets_database_standbys: {
    help: 'Connected standbys of the database',
    values: ({ standbys }) => one(standbys),
  },
  pets_database_standby_delay_seconds: {
    help: 'How far the slowest standby of the database is behind',
    values: ({ standbyDelaySeconds }) => one(standbyDelaySeconds),
  },
  pets_database_kept_log_bytes: {
    help: 'Write-ahead log that an inactive replication slot keeps on the disk',
    values: ({ keptLogBytes }) => one(keptLogBytes),
  },
  pets_database_archiving_fails_seconds: {
    help: 'Seconds since a segment of the write-ahead log was archived, while archiving fails; otherwise 0',
    values: ({ archivingFailsSeconds }) => one(archivingFailsSeconds ?? 0),
  },
  pets_backup_age_seconds: {
    help: 'Seconds since the last backup was complete; no series while none was reported',
    values: ({ backupAgeSeconds }) => (backupAgeSeconds === null ? [] : one(backupAgeSeconds)),
  },
  pets_backup_interval_seconds: {
    help: 'Seconds between two backups; no series while none was reported',
    values: ({ backupIntervalSeconds }) => (backupIntervalSeconds === null ? [] : one(backupIntervalSeconds)),
  },
};

/** The memory of Redis; no series while PostgreSQL holds the queues. */
const storeGauges: Readonly<Record<string, ReadGauge<StoreMemory | null>>> = {
  pets_redis_memory_used_bytes: {
    help: 'Memory that Redis uses, of the fullest server',
    values: (memory) => (memory === null ? [] : one(memory.usedBytes)),
  },
  pets_redis_memory_limit_bytes: {
    help: 'maxmemory of that server, or the memory of its machine where it has none',
    // 0 where neither is known.
    values: (memory) => (memory === null || memory.limitBytes === 0 ? [] : one(memory.limitBytes)),
  },
};

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
