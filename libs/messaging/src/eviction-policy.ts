import { Cluster } from 'ioredis';
import type { RedisClient } from './redis-connection.js';

/**
 * A Redis that may evict keys when memory is short drops jobs, and locks of jobs under way, without a word. It is
 * refused; the message says how to put it right. Where Redis will not tell, it is taken to be right.
 * @throws Error when Redis may evict keys
 */
export async function assertNoEviction(client: RedisClient): Promise<void> {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  for (const policy of await Promise.all(servers.map(readPolicy))) {
    if (policy === null || policy === 'noeviction') continue;
    throw new Error(
      `Redis may evict jobs and locks (maxmemory-policy is ${policy}): set it to noeviction, as by CONFIG SET maxmemory-policy noeviction`,
    );
  }
}

interface Server {
  config(operation: 'GET', name: string): Promise<unknown>;
  info(section: string): Promise<string>;
}

/** CONFIG is often forbidden where Redis is rented; INFO says the same. */
async function readPolicy(server: Server): Promise<string | null> {
  const configured = await server.config('GET', 'maxmemory-policy').catch(nullIfRefused);
  if (Array.isArray(configured) && typeof configured[1] === 'string') return configured[1];
  const memory = await server.info('memory').catch(nullIfRefused);
  return /^maxmemory_policy:(\S+)/m.exec(memory ?? '')?.[1] ?? null;
}

/** A server that is away has not refused anything. */
function nullIfRefused(error: unknown): null {
  if (error instanceof Error && error.name === 'ReplyError') return null;
  throw error;
}
