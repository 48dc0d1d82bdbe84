import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { connectRedis, type RedisClient } from '@pets/messaging';
import { RequestError, type Logger } from '@pets/platform';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Config } from '../platform/config.js';
import { CONFIG, LOG } from '../platform/providers.js';
import type { Principal } from './principal.js';

/** Count of a key in its window. */
interface WindowCount {
  readonly used: number;
  /** Until the window ends and everything is available again. */
  readonly msLeft: number;
  /** Whether the cost was added: not if `most` would be exceeded. */
  readonly isAdded: boolean;
}

/** Counts what keys use in fixed windows, which begin with their first use. */
interface WindowCounter {
  /** Adds a cost unless the sum would exceed `most`, in one step: callers at the same time cannot exceed it together. */
  addCost(key: string, cost: number, most: number): Promise<WindowCount>;
  /** Takes a cost back that was added in the current window. */
  giveBack(key: string, cost: number): Promise<void>;
}

/** Keys that are counted in memory; the one that was used last longest ago is forgotten first. */
const MAX_KEYS = 100_000;

/** Counts in this process. */
export class MemoryWindowCounter implements WindowCounter {
  readonly #counts: LRUCache<string, { used: number }>;
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
    this.#counts = new LRUCache({ max: MAX_KEYS, ttl: windowMs, noUpdateTTL: true });
  }

  async addCost(key: string, cost: number, most: number): Promise<WindowCount> {
    const count = this.#counts.get(key) ?? { used: 0 };
    const isAdded = count.used + cost <= most;
    if (isAdded) {
      count.used += cost;
      this.#counts.set(key, count);
    }
    const msLeft = this.#counts.getRemainingTTL(key);
    return { used: count.used, msLeft: msLeft > 0 ? msLeft : this.#windowMs, isAdded };
  }

  async giveBack(key: string, cost: number): Promise<void> {
    const count = this.#counts.get(key);
    if (count !== undefined) count.used = Math.max(0, count.used - cost);
  }
}

/** Arguments: cost, most (negative for no bound), milliseconds of a window. */
const ADD = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local cost, most = tonumber(ARGV[1]), tonumber(ARGV[2])
if most >= 0 and used + cost > most then
  local left = redis.call('PTTL', KEYS[1])
  return { used, left, 0 }
end
used = redis.call('INCRBY', KEYS[1], cost)
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  left = tonumber(ARGV[3])
end
return { used, left, 1 }`;

const GIVE_BACK = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used > 0 then redis.call('DECRBY', KEYS[1], math.min(used, tonumber(ARGV[1]))) end`;

type Commands = RedisClient & {
  addToWindow(key: string, cost: number, most: number, windowMs: number): Promise<[number, number, number]>;
  giveBackToWindow(key: string, cost: number): Promise<unknown>;
};

/** Counts for all replicas. Its methods fail when Redis does not answer. */
class RedisWindowCounter implements WindowCounter {
  readonly #redis: Commands;

  constructor(
    redis: RedisClient,
    private readonly keyPrefix: string,
    private readonly windowMs: number,
  ) {
    redis.defineCommand('addToWindow', { numberOfKeys: 1, lua: ADD });
    redis.defineCommand('giveBackToWindow', { numberOfKeys: 1, lua: GIVE_BACK });
    this.#redis = redis as Commands; // the commands just defined
  }

  async addCost(key: string, cost: number, most: number): Promise<WindowCount> {
    const bound = most === Infinity ? -1 : most;
    const [used, left, added] = await this.#redis.addToWindow(this.keyOf(key), cost, bound, this.windowMs);
    return { used, msLeft: left >= 0 ? left : this.windowMs, isAdded: added === 1 };
  }

  async giveBack(key: string, cost: number): Promise<void> {
    await this.#redis.giveBackToWindow(this.keyOf(key), cost);
  }

  private keyOf(key: string): string {
    return `${this.keyPrefix}:${key}`;
  }
}

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
interface Quota {
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
interface Reservation {
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
