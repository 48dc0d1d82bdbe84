import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { openMessaging } from '@pets/messaging';
import { createLogger, loadConfigOrExit, startHealthServer, stopOnSignal } from '@pets/platform';
import { AccountAnnouncer } from './certificate-authority/account-announcer.js';
import { configurationSchema } from './configuration.js';
import { JobsService } from './jobs.service.js';
import { WorkerModule } from './worker.module.js';

const configuration = loadConfigOrExit(configurationSchema);
const log = createLogger('domains-worker', configuration.LOG_LEVEL);
const messaging = openMessaging({ redisUrl: configuration.REDIS_URL, databaseUrl: configuration.DATABASE_URL, log });

const app = await NestFactory.createApplicationContext(WorkerModule.with({ configuration, messaging, log }), {
  logger: ['error', 'warn'],
  abortOnError: false,
});
const health = await startHealthServer('0.0.0.0', configuration.HEALTH_PORT, async () =>
  (await messaging.ready()) ? [] : ['messaging'],
);
app.get(JobsService).start();
app.get(AccountAnnouncer).start();
log.info({ healthPort: configuration.HEALTH_PORT, concurrency: configuration.WORKER_CONCURRENCY }, 'taking jobs');

stopOnSignal(log, async () => {
  app.get(AccountAnnouncer).stop();
  await messaging.close();
  health.close();
  await app.close();
});
