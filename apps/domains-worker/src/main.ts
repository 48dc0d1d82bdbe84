import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { openMessaging } from '@pets/messaging';
import { createLogger, loadConfigOrExit, nestLog, startHealthServer, stopOnSignal } from '@pets/platform';
import { AccountAnnouncer } from './certificate-authority/account-announcer.js';
import { configSchema } from './config.js';
import { JobsService } from './jobs.service.js';
import { WorkerModule } from './worker.module.js';

const config = loadConfigOrExit(configSchema);
const log = createLogger('domains-worker', config.LOG_LEVEL);
const messaging = openMessaging({ redisUrl: config.REDIS_URL, databaseUrl: config.DATABASE_URL, log });

const app = await NestFactory.createApplicationContext(WorkerModule.with({ config, messaging, log }), {
  logger: nestLog(log),
  abortOnError: false,
});
const health = await startHealthServer('0.0.0.0', config.HEALTH_PORT, async () =>
  (await messaging.ready()) ? [] : ['messaging'],
);
app.get(JobsService).start();
app.get(AccountAnnouncer).start();
log.info({ healthPort: config.HEALTH_PORT, concurrency: config.WORKER_CONCURRENCY }, 'taking jobs');

stopOnSignal(log, async () => {
  app.get(AccountAnnouncer).stop();
  await messaging.close();
  health.close();
  await app.close();
});
