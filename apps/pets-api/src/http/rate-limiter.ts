import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { connectRedis, type RedisClient } from '@pets/messaging';
import { RequestError, type Logger } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Config } from '../platform/config.js';
import { CONFIG, LOG } from '../platform/providers.js';
import type { Principal } from './principal.js';

/**
 * Counts each request with a valid key for its organization and reports the rest:
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), on a refusal `Retry-After` too. After
 * authentication, which finds the organization, and before anything that costs more.
 */
export function limitRate(fastify: FastifyInstance, consume: (principal: Principal) => Promise<Quota | null>): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.principal === null) return;
    const quota = await consume(request.principal);
    if (quota === null) return;
    const { limit, windowSeconds, remaining, resetSeconds, isExceeded } = quota;
    reply.header('ratelimit-policy', `"default";q=${limit};w=${windowSeconds}`);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (!isExceeded) return;
    throw new RequestError('rate_limited', `The organization may send ${limit} requests in ${windowSeconds} seconds.`, {
      'retry-after': String(resetSeconds),
    });
  });
}

const WINDOW_SECONDS = 60;
/** Every request waits for Redis; beyond this time the limiter counts locally. */
const REDIS_TIMEOUT_MS = 250;
/** Organizations that are refused without a Redis query; beyond this number each request costs one. */
const MAX_EXHAUSTED = 10_000;

/** The remaining allowance of an organization after one more request. */
export interface Quota {
  /** Requests in one window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the window ends and the full limit applies again. */
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

/** An organization whose window is used up: its count does not matter until the window ends or its limit is raised. */
interface Exhausted {
  readonly limit: number;
  readonly endsAtMs: number;
}

/**
 * Limits the requests of an organization in a minute, over all its keys and sessions. Redis counts for all replicas;
 * without Redis, or while it is unavailable, each replica counts separately and no request fails. The limit is compared
 * here and not by the library, since each organization has its own and it may change within a window.
 */
@Injectable()
export class RateLimiter implements OnApplicationShutdown {
  private readonly redis: RedisClient | undefined;
  private readonly counter: RateLimiterAbstract;
  private readonly exhausted = new LRUCache<string, Exhausted>({ ttl: WINDOW_SECONDS * 1_000, max: MAX_EXHAUSTED });

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'REDIS_URL'>,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const window = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };
    const inMemory = new RateLimiterMemory(window);
    if (config.REDIS_URL === undefined || config.RATE_LIMIT_PER_MINUTE === 0) {
      this.counter = inMemory;
      return;
    }
    this.redis = this.connect(config.REDIS_URL);
    this.counter = new RateLimiterRedis({
      ...window,
      storeClient: this.redis,
      keyPrefix: 'pets-rate-limit',
      rejectIfRedisNotReady: true,
      insuranceLimiter: inMemory,
    });
  }

  /** Counts one request of an organization that may send `limit` a window. Null without a limit. */
  async consume(organizationId: string, limit: number): Promise<Quota | null> {
    if (limit === Infinity) return null;
    const refused = this.refuseExhausted(organizationId, limit);
    if (refused !== null) return refused;
    const { consumedPoints, msBeforeNext } = await this.counter.consume(organizationId);
    const isExceeded = consumedPoints > limit;
    if (isExceeded) this.exhausted.set(organizationId, { limit, endsAtMs: performance.now() + msBeforeNext });
    return quotaOf(limit, Math.max(0, limit - consumedPoints), msBeforeNext, isExceeded);
  }

  /** Counts more requests of an organization, for one that costs as much as several. It is not refused itself. */
  async charge(organizationId: string, limit: number, requests: number): Promise<void> {
    if (limit !== Infinity && requests > 0) await this.counter.consume(organizationId, requests);
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  /** A flood of refused requests costs a lookup in memory and no Redis query. */
  private refuseExhausted(organizationId: string, limit: number): Quota | null {
    const known = this.exhausted.get(organizationId);
    const leftMs = known === undefined ? 0 : known.endsAtMs - performance.now();
    if (known === undefined || leftMs <= 0 || limit > known.limit) return null;
    return quotaOf(limit, 0, leftMs, true);
  }

  private connect(url: string): RedisClient {
    const redis = connectRedis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: REDIS_TIMEOUT_MS,
      // Detects a silent partition. From then on, requests do not wait for Redis until it is connected again.
      socketTimeout: 3_000,
      enableAutoPipelining: true,
    });
    let isAway = false;
    redis.on('ready', () => (isAway = false));
    redis.on('error', (error: Error) => {
      if (!isAway) this.log.warn({ err: error }, 'Redis unavailable; each replica counts rate limits separately');
      isAway = true;
    });
    return redis;
  }
}

function quotaOf(limit: number, remaining: number, msBeforeNext: number, isExceeded: boolean): Quota {
  return {
    limit,
    windowSeconds: WINDOW_SECONDS,
    remaining,
    resetSeconds: Math.ceil(msBeforeNext / 1_000),
    isExceeded,
  };
}
