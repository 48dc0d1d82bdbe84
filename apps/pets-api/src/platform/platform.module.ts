import { Global, Module, type DynamicModule } from '@nestjs/common';
import { messageAuthenticationOf, openMessaging, openQueueTelemetry, type Messaging } from '@pets/messaging';
import { NotificationListener, openDatabase, Pipeline } from '@pets/persistence';
import { openFileStorage, type Logger } from '@pets/platform';
import { BackgroundTasks } from './background-tasks.js';
import type { Clock } from './clock.js';
import { databaseAddressOf, sessionUrlOf, type Config } from './config.js';
import { KeyCheck } from './encryption-keys/key-check.js';
import { ApiMetrics, observeEvents } from './metrics/api-metrics.js';
import { ProjectQueues } from './project-queues.js';
import {
  AUTHENTICATION,
  CLOCK,
  CONFIG,
  DATABASE,
  LOG,
  MESSAGING,
  NOTIFICATIONS,
  READS,
  SESSION_DATABASE,
  STORAGE,
  WRITES,
} from './providers.js';
import { ShuttingDown } from './shutting-down.js';

/** Created before the application and shared by all modules. */
export interface PlatformOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: ApiMetrics;
}

/**
 * Opened once for the process: configuration, clock, database, messaging, storage, logging and metrics.
 * It is the only global module, since every feature needs most of it.
 */
@Global()
@Module({})
export class PlatformModule {
  static register({ config, log, clock, metrics }: PlatformOptions): DynamicModule {
    const onConnectionError = (error: Error) => log.warn({ err: error }, 'database connection lost');
    const connection = { ...databaseAddressOf(config), onConnectionError };
    const session = { url: sessionUrlOf(config), onConnectionError };
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: LOG, useValue: log },
      { provide: CLOCK, useValue: clock },
      { provide: ApiMetrics, useValue: metrics },
      {
        provide: DATABASE,
        useFactory: () => openDatabase({ ...connection, poolSize: config.DATABASE_POOL_SIZE, hasShares: true }),
      },
      { provide: SESSION_DATABASE, useFactory: () => openDatabase({ ...session, poolSize: 1 }) },
      { provide: AUTHENTICATION, useFactory: () => new Pipeline({ ...connection, connections: 1 }) },
      { provide: READS, useFactory: () => new Pipeline({ ...connection, connections: 1 }) },
      { provide: WRITES, useFactory: () => new Pipeline({ ...connection, connections: 4 }) },
      { provide: NOTIFICATIONS, useFactory: () => listen(session) },
      { provide: MESSAGING, useFactory: () => openObservedMessaging({ config, log, metrics }) },
      { provide: STORAGE, useFactory: () => openFileStorage(config.STORAGE_URL) },
      BackgroundTasks,
      ShuttingDown,
      KeyCheck,
      ProjectQueues,
    ];
    return { module: PlatformModule, providers, exports: providers };
  }
}

async function listen(connection: {
  readonly url: string;
  readonly onConnectionError: (error: Error) => void;
}): Promise<NotificationListener> {
  const listener = new NotificationListener(connection.url, connection.onConnectionError);
  await listener.open();
  return listener;
}

async function openObservedMessaging({ config, log, metrics }: Omit<PlatformOptions, 'clock'>): Promise<Messaging> {
  const telemetry = config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? undefined : await openQueueTelemetry();
  const [redisUrl, databaseUrl] = [config.REDIS_URL, sessionUrlOf(config)];
  const authentication = messageAuthenticationOf(config);
  const options = { redisUrl, databaseUrl, telemetry, authentication, observer: metrics, log };
  return observeEvents(openMessaging(options), metrics, log);
}
