import { once } from 'node:events';
import { Queue, Worker } from 'bullmq';
import { workerWaits, type Backend } from './backend.js';
import { assertNoEviction } from './eviction-policy.js';
import { connectRedis, queuePrefixFor, type RedisClient, type RedisTuning } from './redis-connection.js';

/**
 * BullMQ on Redis or Valkey. Producers and workers want opposite things of a connection, so each kind has its own:
 * a producer stands in a request and must fail fast, a worker sits in a blocking read and must be patient.
 */
export function createRedisBackend(url: string, onError: (source: string, error: Error) => void): Backend {
  const prefix = queuePrefixFor(url);
  const consumers = new Set<RedisClient>();
  const connect = (name: string, tuning: RedisTuning): RedisClient =>
    connectRedis(url, tuning).on('error', (error: Error) => onError(`redis ${name}`, error));
  const producer = connect('producer', {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // A silent partition never hangs a request: the command is given up first, then the socket.
    commandTimeout: 1_500,
    socketTimeout: 3_000,
  });
  let hasRightPolicy = false;
  // Another server may stand behind the same address after a failover.
  producer.on('close', () => (hasRightPolicy = false));

  return {
    reach: async (limitMs) => {
      await reach(producer, limitMs);
      if (!hasRightPolicy) await assertNoEviction(producer);
      hasRightPolicy = true;
    },
    openQueue: (name) => {
      const queue = new Queue(name, { connection: producer, prefix });
      queue.on('error', (error) => onError(`queue ${name}`, error));
      return queue;
    },
    openWorker: (name, process, { backoffStrategy, ...settings }, trouble) => {
      // Half-open sockets are noticed after 30 s of silence, well above the 5 s a blocking read lasts.
      const connection = connect('worker', { maxRetriesPerRequest: null, socketTimeout: 30_000 });
      consumers.add(connection);
      const options = {
        ...settings,
        ...workerWaits,
        prefix,
        connection,
        autorun: false,
        settings: { backoffStrategy },
      };
      const worker = new Worker<unknown, void>(name, process, options);
      worker.on('error', trouble.onError).on('failed', trouble.onFailed);
      return {
        waitUntilReady: () => worker.waitUntilReady(),
        run: () => worker.run(),
        close: () => worker.close(),
        disconnect: async () => {
          consumers.delete(connection);
          connection.disconnect();
          await worker.disconnect();
        },
      };
    },
    close: async () => [producer, ...consumers].forEach((client) => client.disconnect()),
  };
}

async function reach(client: RedisClient, limitMs: number): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    if (client.status !== 'ready') await once(client, 'ready', { signal });
    await client.ping();
  } catch (error) {
    throw new Error('Redis does not answer', { cause: error });
  }
}
