import { queues } from '@pets/contracts';
import { waitUntil } from '@pets/dev-stack';
import { Redis } from 'ioredis';

/** BullMQ's keys of a queue start with this. */
const prefixes = Object.values(queues).map((name) => `bull:${name}:`);
const LIMIT_MS = 10_000;

/** The queues between our processes, as BullMQ keeps them in Redis. */
export class ObservedQueues {
  readonly #redis: Redis;

  constructor(redisUrl: string) {
    this.#redis = new Redis(redisUrl);
  }

  /** Jobs and events that were ever added: BullMQ numbers them. */
  async messages(): Promise<number> {
    const counts = await this.#redis.mget(prefixes.map((prefix) => `${prefix}id`));
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  }

  /** Waits until some process has to take a message. */
  async untilWaiting(): Promise<void> {
    const isWaiting = async () => {
      const counts = prefixes.flatMap((prefix) => [
        this.#redis.llen(`${prefix}wait`),
        this.#redis.zcard(`${prefix}prioritized`),
      ]);
      return (await Promise.all(counts)).some((count) => count > 0);
    };
    await waitUntil(isWaiting, { timeoutMs: LIMIT_MS, intervalMs: 2, message: 'a job' });
  }

  async close(): Promise<void> {
    await this.#redis.quit();
  }
}
