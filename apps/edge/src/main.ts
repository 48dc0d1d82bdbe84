/**
 * The TLS gateway. Pulls the routes of all hosts from pets-api as one versioned feed (`routing/`), presents the
 * certificate of the name a visitor asks for (`tls/`), and answers from deployed files or with a redirect (`http/`).
 * It decides nothing about domains, holds no state that it could not fetch again, and serves on while the API is down.
 */
import { resolve } from 'node:path';
import {
  collectProcessMetrics,
  createLogger,
  loadConfigOrExit,
  startHealthServer,
  startTracing,
  stopOnSignal,
} from '@pets/platform';
import { edgeConfigSchema } from './config.js';
import { createEdge } from './edge.js';
import { restartWithOptions } from './restart-with-options.js';

restartWithOptions();

/** Visitors on kept connections get this long for another request, by whose answer they are told to leave. */
const KEEP_ALIVE_DRAIN_MS = 1_000;

const config = loadConfigOrExit(edgeConfigSchema);
const log = createLogger('edge', config.LOG_LEVEL);

try {
  const tracing = await startTracing(config, { name: 'edge', folder: resolve(import.meta.dirname, '..') }, log);
  const edge = await createEdge(config, log);
  collectProcessMetrics(edge.metrics);
  stopOnSignal(log, async () => {
    await edge.stop(KEEP_ALIVE_DRAIN_MS);
    await tracing?.stop();
  });
  await startHealthServer(config.HOST, config.HEALTH_PORT, () => edge.missing(), edge.metrics);
  await edge.start();
} catch (error) {
  log.error({ err: error }, 'the edge cannot start');
  process.exit(1);
}
