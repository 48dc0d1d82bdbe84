/**
 * The TLS gateway. Receives the routes of all hosts from pets-api as one versioned feed (`feed/`), keeps them in a local
 * database (`store/`), presents the certificate of the requested name (`tls/`), and answers with deployed files or a redirect
 * (`http/`). It decides nothing about domains, has no state that it cannot fetch again, and continues to serve while the API
 * is down.
 *
 * This is the feed process. It answers no visitors; the processes that it starts do (`processes/`).
 */
import { extname, join, resolve } from 'node:path';
import {
  collectProcessMetrics,
  createLogger,
  loadConfigOrExit,
  openFileStorage,
  startHealthServer,
  startTracing,
  stopOnSignal,
} from '@pets/platform';
import { createEdge } from './edge.js';
import { edgeConfigSchema } from './platform/config.js';
import { servingOptions, tableWorkOptions } from './processes/process-limits.js';
import { ServingPool } from './processes/serving-pool.js';
import { DataFolderError } from './store/data-folder.js';
import { workBySize, workHere, workInProcesses } from './tables/table-work.js';

/** How long open connections may send another request; its response asks them to reconnect elsewhere. */
const KEEP_ALIVE_DRAIN_MS = 1_000;

/** The stop takes less than 10 s by its own limits. */
const STOP_LIMIT_MS = 25_000;

const config = loadConfigOrExit(edgeConfigSchema);
const log = createLogger('edge', config.LOG_LEVEL).child({ pid: process.pid });
// Tests run them from their sources.
const programPath = (name: string) => join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);

try {
  const tracing = await startTracing(config, { name: 'edge', folder: resolve(import.meta.dirname, '..') }, log);
  const edge = await createEdge(config, log, {
    startServing: async (sockets, feed) =>
      new ServingPool({
        processes: config.EDGE_PROCESSES,
        program: { path: programPath('processes/serving-main'), execArgv: servingOptions() },
        sockets,
        feed,
        log,
      }),
    tableWork: workBySize(
      workHere(() => openFileStorage(config.STORAGE_URL)),
      workInProcesses({ path: programPath('tables/table-main'), execArgv: tableWorkOptions() }, config.STORAGE_URL),
    ),
  });
  collectProcessMetrics(edge.registry);
  const withdrawMs = config.EDGE_DRAIN_SECONDS * 1_000;
  const stop = async () => {
    await edge.stop(KEEP_ALIVE_DRAIN_MS, withdrawMs);
    await tracing?.stop();
  };
  stopOnSignal(log, stop, STOP_LIMIT_MS + withdrawMs);
  await startHealthServer(config.HOST, config.HEALTH_PORT, () => edge.missing(), edge.metrics);
  await edge.start();
} catch (error) {
  if (error instanceof DataFolderError) process.stderr.write(`configuration: ${error.message}\n`);
  else log.error({ err: error }, 'edge cannot start');
  process.exit(1);
}
