import { describe, expect, it } from '@jest/globals';
import { FetchQueue, FetchQueueFullError, OwnerQueue } from './fetch-queue.js';

interface Job {
  readonly name: string;
  readonly end: () => void;
  readonly ended: Promise<void>;
}

function createQueue(limits: Partial<ConstructorParameters<typeof FetchQueue>[0]> = {}) {
  const started: Job[] = [];
  const queue = new FetchQueue<Job>(
    { running: 4, runningPerRequester: 3, waiting: 10_000, waitingPerRequester: 5_000, ...limits },
    (job) => {
      started.push(job);
      return job.ended;
    },
  );
  return { queue, started };
}

function jobOf(name: string): Job {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { name, end: resolve, ended: promise };
}

async function endNext(started: Job[]): Promise<void> {
  started.shift()?.end();
  await new Promise(setImmediate);
}

describe('a fetch queue', () => {
  it('starts the only job of a requester next, however many another requester has waiting', async () => {
    const { queue, started } = createQueue();
    for (let index = 0; index < 1_000; index++) queue.addFetch('flood', jobOf(`flood ${index}`));
    expect(started).toHaveLength(3);
    queue.addFetch('visitor', jobOf('visitor'));
    expect(started.at(-1)?.name).toBe('visitor');
    queue.addFetch('another', jobOf('another'));
    await endNext(started);
    expect(started.map(({ name }) => name)).toContain('another');
  });

  it('serves requesters in turn', async () => {
    const { queue, started } = createQueue({ running: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.addFetch(name.charAt(0), jobOf(name));
    const order: string[] = [];
    while (started.length > 0) {
      order.push(started[0]?.name ?? '');
      await endNext(started);
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('refuses jobs beyond its limits, and accepts them again when others have ended', async () => {
    const { queue, started } = createQueue({ running: 1, waiting: 3, waitingPerRequester: 2 });
    const add = (requester: string) => () => queue.addFetch(requester, jobOf(requester));
    for (let count = 0; count < 3; count++) add('a')();
    expect(add('a')).toThrow(FetchQueueFullError);
    add('b')();
    expect(add('c')).toThrow(FetchQueueFullError);
    await endNext(started);
    expect(add('c')).not.toThrow();
  });

  it('costs hardly more a job with ten times the requesters', async () => {
    const milliseconds = { few: Infinity, many: Infinity };
    // The best of several runs, which take turns: the others waited for a processor.
    for (let run = 0; run < 5; run++) {
      milliseconds.few = Math.min(milliseconds.few, await runJobs(20_000, 500));
      milliseconds.many = Math.min(milliseconds.many, await runJobs(20_000, 5_000));
    }
    expect(milliseconds.many / milliseconds.few).toBeLessThan(5);
  });
});

/** @returns how long it took, in ms */
async function runJobs(jobs: number, requesters: number): Promise<number> {
  const { queue, started } = createQueue({ running: 1, waiting: jobs });
  const startedAtMs = performance.now();
  for (let index = 0; index < jobs; index++) queue.addFetch(String(index % requesters), jobOf(String(index)));
  let ended = 0;
  for (let job = started.shift(); job !== undefined; job = started.shift()) {
    job.end();
    ended += 1;
    while (started.length === 0 && ended < jobs) await Promise.resolve();
  }
  expect(ended).toBe(jobs);
  return performance.now() - startedAtMs;
}

/** Tasks that the test ends, and the names of those that have begun. */
function record(queue: OwnerQueue) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (owner: string, name: string) =>
    queue.run(owner, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string, done: Promise<string>) => {
    ends.get(name)?.();
    expect(await done).toBe(name);
    await new Promise(setImmediate);
  };
  return { begun, run, end };
}

describe('OwnerQueue', () => {
  it('limits concurrent tasks, and runs those of one owner one after the other', async () => {
    const { begun, run, end } = record(new OwnerQueue(2));
    const first = run('hostile', 'h1');
    const others = [run('hostile', 'h2'), run('hostile', 'h3'), run('hostile', 'h4')];
    const neighbour = run('neighbour', 'n1');
    const late = run('late', 'l1');
    expect(begun).toEqual(['h1', 'n1']);
    await end('h1', first);
    expect(begun).toEqual(['h1', 'n1', 'h2']);
    await end('n1', neighbour);
    expect(begun).toEqual(['h1', 'n1', 'h2', 'l1']);
    await end('l1', late);
    expect(begun).toHaveLength(4);
    for (const [at, name] of ['h2', 'h3', 'h4'].entries()) await end(name, others[at] ?? Promise.resolve(''));
  });

  it('continues after a failed task', async () => {
    const queue = new OwnerQueue(1);
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
    expect(await queue.run('b', () => Promise.resolve('again'))).toBe('again');
  });
});
