import { once } from 'node:events';
import { exponentialDelayMs } from '@pets/async';
import { Queue, Worker } from 'bullmq';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { workerDelays, type Backend, type StoreMemory } from './backend.js';
import { parseRedisAddress, type RedisAddress } from './redis-address.js';

/** A connection to one server, to the master of a sentinel group, or to a cluster. */
export type RedisClient = Redis | Cluster;

/** Options of one connection; the address is a setting. */
type RedisTuning = Pick<
  RedisOptions,
  'maxRetriesPerRequest' | 'enableOfflineQueue' | 'commandTimeout' | 'socketTimeout' | 'enableAutoPipelining'
>;

const CONNECT_TIMEOUT_MS = 1_500;

/**
 * Opens a connection that reconnects automatically. Give it an 'error' listener.
 * @throws Error when the URL is not a Redis address
 */
export function connectRedis(url: string, tuning: RedisTuning): RedisClient {
  const address = parseRedisAddress(url);
  if (address === null) throw new Error('REDIS_URL is not a Redis address');
  return address.kind === 'cluster' ? connectCluster(address, tuning) : connectServer(address, tuning);
}

/** All keys of a queue have to be in one slot of a cluster. The text in braces decides which. */
function queuePrefixFor(url: string): string {
  return parseRedisAddress(url)?.kind === 'cluster' ? '{bull}' : 'bull';
}

function connectServer(address: Exclude<RedisAddress, { kind: 'cluster' }>, tuning: RedisTuning): Redis {
  const options = { connectTimeout: CONNECT_TIMEOUT_MS, retryStrategy: reconnectDelayMs, ...tuning };
  if (address.kind === 'single') return new Redis(address.url, options);
  const { nodes, name, username, password, sentinelPassword, hasTls } = address;
  return new Redis({
    ...options,
    sentinels: [...nodes],
    name,
    sentinelRetryStrategy: reconnectDelayMs,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(hasTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

function connectCluster(
  { nodes, username, password, hasTls }: Extract<RedisAddress, { kind: 'cluster' }>,
  { enableOfflineQueue = true, enableAutoPipelining = false, ...tuning }: RedisTuning,
): Cluster {
  return new Cluster([...nodes], {
    enableOfflineQueue,
    enableAutoPipelining,
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    // Certificates name hosts, so hosts are connected to by name.
    ...(hasTls && { dnsLookup: (host, found) => found(null, host) }),
    redisOptions: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      ...tuning,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(hasTls && { tls: {} }),
    },
  });
}

/** Short at first, since a restart takes a second; at most 2 s, since no request waits for it. */
function reconnectDelayMs(failures: number): number {
  return exponentialDelayMs({ firstMs: 100, maxMs: 2_000 }, failures);
}

/**
 * BullMQ on Redis or Valkey. Producers and workers need different connections: a producer is part of a request and must
 * fail fast, a worker blocks in a read for seconds.
 */
export function createRedisBackend(url: string, onError: (source: string, error: Error) => void): Backend {
  const prefix = queuePrefixFor(url);
  const consumers = new Set<RedisClient>();
  const connect = (name: string, tuning: RedisTuning): RedisClient =>
    connectRedis(url, tuning).on('error', (error: Error) => onError(`redis ${name}`, error));
  const producer = connect('producer', {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // A silent partition never hangs a request: first the command times out, then the socket.
    commandTimeout: 1_500,
    socketTimeout: 3_000,
  });
  let isPolicyChecked = false;
  // After a failover, another server may answer at the same address.
  producer.on('close', () => (isPolicyChecked = false));

  return {
    ping: async (limitMs) => {
      await ping(producer, limitMs);
      if (!isPolicyChecked) await assertNoEviction(producer);
      isPolicyChecked = true;
    },
    memory: async () => {
      const memories = await Promise.all(serversOf(producer).map(readMemory));
      return memories.reduce((fullest, next) =>
        next.usedBytes / next.limitBytes > fullest.usedBytes / fullest.limitBytes ? next : fullest,
      );
    },
    openQueue: (name) => {
      const queue = new Queue(name, { connection: producer, prefix });
      queue.on('error', (error) => onError(`queue ${name}`, error));
      return queue;
    },
    openWorker: (name, process, { backoffStrategy, ...settings }, errorHandlers) => {
      // Half-open sockets are detected after 30 s of silence, well above the 5 s of a blocking read.
      const connection = connect('worker', { maxRetriesPerRequest: null, socketTimeout: 30_000 });
      consumers.add(connection);
      const options = {
        ...settings,
        ...workerDelays,
        prefix,
        connection,
        autorun: false,
        settings: { backoffStrategy },
      };
      const worker = new Worker<unknown, void>(name, process, options);
      worker.on('error', errorHandlers.onError).on('failed', errorHandlers.onFailed);
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

async function ping(client: RedisClient, limitMs: number): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    if (client.status !== 'ready') await once(client, 'ready', { signal });
    await client.ping();
  } catch (error) {
    throw new Error('Redis does not answer', { cause: error });
  }
}

/**
 * A Redis that evicts keys when memory is short silently drops jobs and the locks of active jobs, so it is refused. A Redis
 * that does not reveal its policy is accepted.
 * @throws Error when Redis may evict keys
 */
async function assertNoEviction(client: RedisClient): Promise<void> {
  for (const policy of await Promise.all(serversOf(client).map(readEvictionPolicy))) {
    if (policy === null || policy === 'noeviction') continue;
    throw new Error(
      `Redis may evict jobs and locks (maxmemory-policy is ${policy}): set it to noeviction, for example with CONFIG SET maxmemory-policy noeviction`,
    );
  }
}

function serversOf(client: RedisClient): readonly Server[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** Reads the memory in use and its limit. Without `maxmemory`, Redis grows until the machine is full. */
async function readMemory(server: Server): Promise<StoreMemory> {
  const memory = await server.info('memory');
  const read = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1] ?? 0);
  return { usedBytes: read('used_memory'), limitBytes: read('maxmemory') || read('total_system_memory') };
}

interface Server {
  config(operation: 'GET', name: string): Promise<unknown>;
  info(section: string): Promise<string>;
}

/** Hosted Redis often forbids CONFIG; INFO returns the same. */
async function readEvictionPolicy(server: Server): Promise<string | null> {
  const configured = await server.config('GET', 'maxmemory-policy').catch(nullIfRefused);
  if (Array.isArray(configured) && typeof configured[1] === 'string') return configured[1];
  const memory = await server.info('memory').catch(nullIfRefused);
  return /^maxmemory_policy:(\S+)/m.exec(memory ?? '')?.[1] ?? null;
}

/** A server that does not answer has not refused the command. */
function nullIfRefused(error: unknown): null {
  if (error instanceof Error && error.name === 'ReplyError') return null;
  throw error;
}
