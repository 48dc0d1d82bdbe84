import { once } from 'node:events';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { workerWaits, type Backend } from './backend.js';

/**
 * BullMQ on Redis or Valkey. Producers and workers want opposite things of a connection, so each kind has its own:
 * a producer stands in a request and must fail fast, a worker sits in a blocking read and must be patient.
 */
export function createRedisBackend(url: string, onError: (source: string, error: Error) => void): Backend {
  const producer = connect('producer', {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // A silent partition never hangs a request: the command is given up first, then the socket.
    commandTimeout: 1_500,
    socketTimeout: 3_000,
  });
  const consumers: Redis[] = [];

  function connect(name: string, options: object): Redis {
    const client = new Redis(url, { connectTimeout: 3_000, retryStrategy: reconnectDelayMs, ...options });
    return client.on('error', (error: Error) => onError(`redis ${name}`, error));
  }

  return {
    reach: (limitMs) => reach(producer, limitMs),
    openQueue: (name) => {
      const queue = new Queue(name, { connection: producer });
      queue.on('error', (error) => onError(`queue ${name}`, error));
      return queue;
    },
    openWorker: (name, process, { backoffStrategy, ...settings }, trouble) => {
      // Half-open sockets are noticed after 30 s of silence, well above the 5 s a blocking read lasts.
      const connection = connect('worker', { maxRetriesPerRequest: null, socketTimeout: 30_000 });
      consumers.push(connection);
      const worker = new Worker<unknown, void>(name, process, {
        ...settings,
        ...workerWaits,
        connection,
        autorun: false,
        settings: { backoffStrategy },
      });
      return worker.on('error', trouble.onError).on('failed', trouble.onFailed);
    },
    close: async () => [producer, ...consumers].forEach((client) => client.disconnect()),
  };
}

/** Quick at first, for a restart of a second; never slower than 2 s, since no request waits for it. */
function reconnectDelayMs(times: number): number {
  return Math.min(50 * 2 ** times, 2_000);
}

async function reach(client: Redis, limitMs: number): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    if (client.status !== 'ready') await once(client, 'ready', { signal });
    await client.ping();
  } catch (error) {
    throw new Error('Redis does not answer', { cause: error });
  }
}
