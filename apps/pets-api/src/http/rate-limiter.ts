import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { connectRedis, type RedisClient } from '@pets/messaging';
import { RequestError, type Logger } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Config } from '../platform/config.js';
import { CONFIG, LOG } from '../platform/providers.js';
import type { Principal } from './principal.js';
import { MemoryWindowCounter, RedisWindowCounter, type WindowCount, type WindowCounter } from './window-counter.js';

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
    const { limit, windowSeconds, remaining, resetSeconds } = quota;
    reply.header('ratelimit-policy', `"default";q=${limit};w=${windowSeconds}`);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (quota.isExceeded) throw rateLimited(quota);
  });
}

function rateLimited({ limit, windowSeconds, resetSeconds }: Quota): RequestError {
  const message = `The organization may send ${limit} requests in ${windowSeconds} seconds.`;
  return new RequestError('rate_limited', message, { 'retry-after': String(resetSeconds) });
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

/** Requests that were counted before their work; what the work did not need is given back. */
export interface Reservation {
  giveBack(requests: number): Promise<void>;
}

/**
 * Limits the requests of an organization in a minute, over all its keys and sessions. Redis counts for all replicas;
 * without Redis, or while it is unavailable, each replica counts separately and no request fails.
 */
@Injectable()
export class RateLimiter implements OnApplicationShutdown {
  private readonly redis: RedisClient | undefined;
  private readonly shared: WindowCounter | undefined;
  private readonly own = new MemoryWindowCounter(WINDOW_SECONDS * 1_000);
  private readonly exhausted = new LRUCache<string, Exhausted>({ ttl: WINDOW_SECONDS * 1_000, max: MAX_EXHAUSTED });

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'REDIS_URL'>,
    @Inject(LOG) private readonly log: Logger,
  ) {
    if (config.REDIS_URL === undefined || config.RATE_LIMIT_PER_MINUTE === 0) return;
    this.redis = this.connect(config.REDIS_URL);
    this.shared = new RedisWindowCounter(this.redis, 'pets-rate-limit', WINDOW_SECONDS * 1_000);
  }

  /** Counts one request of an organization that may send `limit` a window. Null without a limit. */
  async consume(organizationId: string, limit: number): Promise<Quota | null> {
    if (limit === Infinity) return null;
    const refused = this.refuseExhausted(organizationId, limit);
    if (refused !== null) return refused;
    const { used, msLeft } = await this.addRequests(organizationId, 1, Infinity);
    const isExceeded = used > limit;
    if (isExceeded) this.exhausted.set(organizationId, { limit, endsAtMs: performance.now() + msLeft });
    return quotaOf(limit, Math.max(0, limit - used), msLeft, isExceeded);
  }

  /**
   * Counts further requests for one that is counted already and costs as much as several. One that costs more than the
   * limit is admitted when nothing else was sent, so the cost is at most the rest of a full allowance.
   * @throws RequestError `rate_limited` when they do not fit any more; nothing is counted then
   */
  async reserve(organizationId: string, limit: number, requests: number): Promise<Reservation> {
    const cost = Math.min(requests, limit - 1);
    if (limit === Infinity || cost <= 0) return { giveBack: async () => undefined };
    const { used, msLeft, isAdded } = await this.addRequests(organizationId, cost, limit);
    if (!isAdded) throw rateLimited(quotaOf(limit, Math.max(0, limit - used), msLeft, true));
    const endsAtMs = performance.now() + msLeft;
    return { giveBack: (unused) => this.giveBack(organizationId, Math.min(unused, cost), endsAtMs) };
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  private async addRequests(organizationId: string, cost: number, most: number): Promise<WindowCount> {
    try {
      if (this.shared !== undefined) return await this.shared.addCost(organizationId, cost, most);
    } catch {
      // `connect` has logged that Redis is unavailable.
    }
    return this.own.addCost(organizationId, cost, most);
  }

  private async giveBack(organizationId: string, cost: number, endsAtMs: number): Promise<void> {
    if (cost <= 0 || performance.now() >= endsAtMs) return;
    this.exhausted.delete(organizationId);
    const counter = this.redis?.status === 'ready' ? this.shared : this.own;
    // Lost with Redis: the organization has less until the window ends.
    await counter?.giveBack(organizationId, cost).catch(() => undefined);
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
