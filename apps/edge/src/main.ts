/**
 * The TLS gateway. Receives the routes of all hosts from pets-api as one versioned feed (`routing/`), presents the
 * certificate of the requested name (`tls/`), and answers with deployed files or a redirect (`http/`). It decides nothing
 * about domains, has no state that it cannot fetch again, and continues to serve while the API is down.
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

/** How long open connections may send another request; its response asks them to reconnect elsewhere. */
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
  log.error({ err: error }, 'edge cannot start');
  process.exit(1);
}
