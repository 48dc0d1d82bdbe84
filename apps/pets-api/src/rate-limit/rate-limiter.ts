import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { connectRedis, type RedisClient } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Config } from '../config.js';
import { CONFIG, LOG } from '../providers.js';

const WINDOW_SECONDS = 60;
/** Redis stands on every request's way: one that is slower than this is done without. */
const REDIS_TIMEOUT_MS = 250;

/** What a key has left after one more request. */
export interface Quota {
  /** Requests a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the window ends and all is given anew. */
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

/**
 * How many requests a key may send a minute, counted for all replicas together in Redis where there is one, else by each
 * replica for itself. A Redis that is away costs exactness, never a request: then, too, each replica counts for itself.
 */
@Injectable()
export class RateLimiter implements OnApplicationShutdown {
  private readonly redis: RedisClient | undefined;
  private readonly limiter: RateLimiterAbstract | undefined;
  private readonly limit: number;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'REDIS_URL'>,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.limit = config.RATE_LIMIT_PER_MINUTE;
    if (this.limit === 0) return;
    const window = { points: this.limit, duration: WINDOW_SECONDS };
    const inMemory = new RateLimiterMemory(window);
    if (config.REDIS_URL === undefined) {
      this.limiter = inMemory;
      return;
    }
    this.redis = this.connect(config.REDIS_URL);
    this.limiter = new RateLimiterRedis({
      ...window,
      storeClient: this.redis,
      keyPrefix: 'pets-rate-limit',
      // A key that has run out is refused without asking Redis again.
      inMemoryBlockOnConsumed: this.limit + 1,
      rejectIfRedisNotReady: true,
      insuranceLimiter: inMemory,
    });
  }

  /** Counts one request. Null where nothing is limited. */
  async consume(apiKeyId: string): Promise<Quota | null> {
    if (this.limiter === undefined) return null;
    try {
      return this.describe(await this.limiter.consume(apiKeyId), false);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return this.describe(refusal, true);
      throw refusal;
    }
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  private describe({ remainingPoints, msBeforeNext }: RateLimiterRes, isExceeded: boolean): Quota {
    return {
      limit: this.limit,
      windowSeconds: WINDOW_SECONDS,
      remaining: remainingPoints,
      resetSeconds: Math.ceil(msBeforeNext / 1_000),
      isExceeded,
    };
  }

  private connect(url: string): RedisClient {
    const redis = connectRedis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: REDIS_TIMEOUT_MS,
      // A silent partition is noticed, and from then on costs nothing until the connection is back.
      socketTimeout: 3_000,
      enableAutoPipelining: true,
    });
    let isAway = false;
    redis.on('ready', () => (isAway = false));
    redis.on('error', (error: Error) => {
      if (!isAway) this.log.warn({ err: error }, 'rate limits are counted by each replica while Redis is away');
      isAway = true;
    });
    return redis;
  }
}
