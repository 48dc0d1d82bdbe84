import type { RedisClient } from '@pets/messaging';
import { LRUCache } from 'lru-cache';

/** Count of a key in its window. */
export interface WindowCount {
  readonly used: number;
  /** Until the window ends and everything is available again. */
  readonly msLeft: number;
  /** Whether the cost was added: not if `most` would be exceeded. */
  readonly isAdded: boolean;
}

/** Counts what keys use in fixed windows, which begin with their first use. */
export interface WindowCounter {
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
export class RedisWindowCounter implements WindowCounter {
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
