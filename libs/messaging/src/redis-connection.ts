import { exponentialDelayMs } from '@pets/async';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from './redis-address.js';

/** A connection to one server, to the master of a sentinel group, or to a cluster. */
export type RedisClient = Redis | Cluster;

/** Options of one connection; the address is a setting. */
export type RedisTuning = Pick<
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
export function queuePrefixFor(url: string): string {
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
