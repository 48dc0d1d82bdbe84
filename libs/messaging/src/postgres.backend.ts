import { withTimeout } from '@pets/async';
import { assertSchemaCompatibility, createPostgresBackend as createBullMqBackend, Queue, Worker } from 'bullmq';
import { Pool } from 'pg';
import { workerDelays, type Backend } from './backend.js';

/** Besides those that listen. */
const SHARED_CONNECTIONS = 5;

/** The schema BullMQ keeps its tables in. */
export const MESSAGING_SCHEMA = 'bullmq';

/**
 * BullMQ on PostgreSQL, for installations without Redis. All queues and workers share one small pool, which has one
 * connection more for each worker, since that holds one for LISTEN. `migrateMessaging` creates the schema, never this backend.
 */
export function createPostgresBackend(url: string, onError: (source: string, error: Error) => void): Backend {
  const pool = new Pool({
    connectionString: url,
    // A queue may lose its last jobs in a crash of the server: the due rows dispatch them again. So it does not wait for
    // the disk, which makes it many times as fast. Authoritative state is committed elsewhere, durably.
    options: `-c search_path=${MESSAGING_SCHEMA} -c synchronous_commit=off`,
    application_name: 'messaging',
    max: SHARED_CONNECTIONS,
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
    keepAlive: true,
  });
  // Each queue and worker adds a listener of its own.
  pool.setMaxListeners(0);
  const listening = new Set<string>();
  // An idle and a checked-out connection report their loss in different places.
  pool.on('error', (error) => onError('postgres pool', error));
  pool.on('connect', (client) => client.on('error', (error) => onError('postgres connection', error)));

  return {
    ping: async (limitMs) => {
      await withTimeout(assertSchemaCompatibility(pool, MESSAGING_SCHEMA), limitMs, 'PostgreSQL');
    },
    memory: async () => null,
    openQueue: (name) => {
      const queue = new Queue(name, { connection: pool }, createBullMqBackend);
      queue.on('error', (error) => onError(`queue ${name}`, error));
      return queue;
    },
    openWorker: (name, process, { backoffStrategy, ...settings }, errorHandlers) => {
      listening.add(name);
      pool.options.max = SHARED_CONNECTIONS + listening.size;
      const options = { ...settings, ...workerDelays, connection: pool, autorun: false, settings: { backoffStrategy } };
      const worker = new Worker(name, process, options, createBullMqBackend);
      return worker.on('error', errorHandlers.onError).on('failed', errorHandlers.onFailed);
    },
    close: () => pool.end(),
  };
}
