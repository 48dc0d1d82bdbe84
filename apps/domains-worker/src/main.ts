/**
 * The worker: it performs the I/O of domains and reports the results. Flow of a job: BullMQ queue → `JobsService` → the service of
 * the job (DNS, CA, edge or webhook) → `EventSender` → event queue → pets-api, which decides. A job contains everything the
 * worker needs, so the worker never queries the API. A failed job is not retried here: its lease expires, and pets-api
 * dispatches its row again.
 */
import 'reflect-metadata';
import { resolve } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { DnsServers } from '@pets/dns';
import { messageAuthenticationOf, openMessaging, openQueueTelemetry } from '@pets/messaging';
import {
  collectProcessMetrics,
  createLogger,
  loadConfigOrExit,
  nestLog,
  startHealthServer,
  startMetricsServer,
  startTracing,
  stopOnSignal,
} from '@pets/platform';
import { AccountAnnouncer, CaAccounts } from './certificate-authority/ca-accounts.js';
import { ChallengeDns } from './challenges/challenge-dns.js';
import { configSchema } from './config.js';
import { JobsService } from './jobs.service.js';
import { observeMessaging, WorkerMetrics } from './metrics/worker-metrics.js';
import { WorkerModule } from './worker.module.js';

const config = loadConfigOrExit(configSchema);
const log = createLogger('domains-worker', config.LOG_LEVEL);
const tracing = await startTracing(config, { name: 'domains-worker', folder: resolve(import.meta.dirname, '..') }, log);
const metrics = new WorkerMetrics();
collectProcessMetrics(metrics.registry);
const telemetry = tracing === null ? undefined : await openQueueTelemetry();
const queues = openMessaging({
  redisUrl: config.REDIS_URL,
  databaseUrl: config.DATABASE_SESSION_URL ?? config.DATABASE_URL,
  authentication: messageAuthenticationOf(config),
  observer: metrics,
  telemetry,
  log,
});
const messaging = observeMessaging(queues, { metrics, log });

const app = await NestFactory.createApplicationContext(WorkerModule.with({ config, messaging, log }), {
  logger: nestLog(log),
  abortOnError: false,
});
metrics.describeCas(() => app.get(CaAccounts).listSilence());
metrics.describeResolvers(() => app.get(DnsServers).countLookups());
metrics.describeValidation(() => app.get(DnsServers).countValidationFailures());
const { HEALTH_PORT, METRICS_PORT } = config;
let isStopping = false;
const readinessProblems = async () => {
  if (isStopping) return ['stopping'];
  return (await messaging.ready()) ? [] : ['messaging'];
};
const servers = [
  await startHealthServer(
    '0.0.0.0',
    HEALTH_PORT,
    readinessProblems,
    METRICS_PORT === undefined ? metrics.registry : undefined,
  ),
  ...(METRICS_PORT === undefined ? [] : [await startMetricsServer('0.0.0.0', METRICS_PORT, metrics.registry)]),
];
app.get(JobsService).start();
app.get(AccountAnnouncer).start();
app.get(ChallengeDns).start();
log.info({ healthPort: HEALTH_PORT, concurrency: config.WORKER_CONCURRENCY }, 'worker started');

stopOnSignal(log, async () => {
  isStopping = true;
  app.get(AccountAnnouncer).stop();
  app.get(ChallengeDns).stop();
  await messaging.close();
  for (const server of servers) server.close();
  await app.close();
  await tracing?.stop();
});
