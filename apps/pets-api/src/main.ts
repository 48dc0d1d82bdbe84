import { resolve } from 'node:path';
import { createLogger, loadConfigOrExit, startTracing, stopOnSignal } from '@pets/platform';
import { createApp } from './create-app.js';
import { configSchema } from './platform/config.js';

const config = loadConfigOrExit(configSchema);
const log = createLogger('pets-api', config.LOG_LEVEL);
const tracing = await startTracing(config, { name: 'pets-api', folder: resolve(import.meta.dirname, '..') }, log);
const { app, internal, stop } = await createApp(config, log);
const starting = start();
stopOnSignal(log, async () => {
  // Fastify refuses routes that Nest still adds once it is being closed.
  await starting.catch(() => undefined);
  await stop();
  await tracing?.stop();
});
await starting;
log.info({ host: config.HOST, port: config.PORT, internalPort: config.INTERNAL_PORT }, 'listening');

async function start(): Promise<void> {
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  if (config.INTERNAL_PORT !== undefined) await internal?.listen(config.INTERNAL_PORT, config.HOST);
}
