import { createPostgresBackend, Queue, Worker, type Processor } from 'bullmq';
import pg from 'pg';

/**
 * BullMQ and nothing else: a job that goes one way and an event that comes back, both of the size of ours, with nothing
 * done at either end. What our engine does can only be slower, and this says what is left of it.
 */

export const noOpQueues = { jobs: 'no-op-jobs', events: 'no-op-events' } as const;
/** Concurrency of our engine. */
export const noOpWorkers = { jobs: 64, events: 128 } as const;

const removed = { removeOnComplete: true, removeOnFail: true } as const;

/** About what a `verify-dns` job and a `dns.checked` event carry. */
const TEXT = 'x'.repeat(300);

export interface Store {
  readonly redisUrl?: string | undefined;
  readonly databaseUrl?: string | undefined;
}

export interface NoOpQueues {
  /** Resolves when the jobs are stored. What is asked for while others are being stored goes together, in one call. */
  add(queue: string, count: number): Promise<void>;
  waitingCount(queue: string): Promise<number>;
  process(queue: string, concurrency: number, processor: Processor): Promise<void>;
  close(): Promise<void>;
}

type OpenQueue = Pick<Queue, 'addBulk' | 'getWaitingCount' | 'close'>;
type OpenWorker = Pick<Worker, 'waitUntilReady' | 'close'>;

interface Opener {
  queue(name: string): OpenQueue;
  worker(name: string, processor: Processor, concurrency: number): OpenWorker;
  close(): Promise<void>;
}

export function openNoOpQueues({ redisUrl, databaseUrl }: Store): NoOpQueues {
  const opener = redisUrl === undefined ? onPostgres(databaseUrl ?? '') : onRedis(redisUrl);
  const queues = new Map<string, OpenQueue>();
  const adders = new Map<string, Adder>();
  const workers: OpenWorker[] = [];
  const open = (name: string): OpenQueue => {
    const queue = queues.get(name) ?? opener.queue(name);
    queues.set(name, queue);
    return queue;
  };
  return {
    add: (name, count) => {
      const adder = adders.get(name) ?? new Adder(open(name));
      adders.set(name, adder);
      return adder.add(count);
    },
    waitingCount: (name) => open(name).getWaitingCount(),
    process: async (name, concurrency, processor) => {
      const worker = opener.worker(name, processor, concurrency);
      workers.push(worker);
      await worker.waitUntilReady();
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close(true)));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await opener.close();
    },
  };
}

/** One call under way at a time, which is how BullMQ adds most: each call is a round trip, and on PostgreSQL a commit. */
class Adder {
  private waiting = 0;
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(private readonly queue: OpenQueue) {}

  add(count: number): Promise<void> {
    this.waiting += count;
    return (this.next ??= this.addNext());
  }

  private async addNext(): Promise<void> {
    await this.underWay;
    const job = { name: 'no-op', data: { text: TEXT }, opts: removed };
    const jobs = Array.from({ length: this.waiting }, () => job);
    [this.waiting, this.next] = [0, undefined];
    await (this.underWay = this.queue.addBulk(jobs));
  }
}

function onRedis(url: string): Opener {
  const connection = { url, maxRetriesPerRequest: null };
  return {
    queue: (name) => new Queue(name, { connection }),
    worker: (name, processor, concurrency) => new Worker(name, processor, { connection, concurrency }),
    close: () => Promise.resolve(),
  };
}

function onPostgres(url: string): Opener {
  const connection = new pg.Pool({
    connectionString: url,
    options: '-c search_path=bullmq -c synchronous_commit=off',
    max: 6,
  });
  return {
    queue: (name) => new Queue(name, { connection }, createPostgresBackend),
    worker: (name, processor, concurrency) =>
      new Worker(name, processor, { connection, concurrency }, createPostgresBackend),
    close: () => connection.end(),
  };
}
