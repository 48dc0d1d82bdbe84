import { fileURLToPath } from 'node:url';
import { queues } from '@pets/contracts';
import { run, seedDomains, verifyDomains, type SeededDomain, type Stack } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import { Redis } from 'ioredis';
import { Clicks, seedUnchecked, untilAccountIsReady } from '../certificates/clicks.js';
import { noOpQueues, noOpWorkers, openNoOpQueues } from '../engine/no-op-messages.js';
import { threadCpuSeconds } from '../engine/processes.js';
import { DatabaseTally, type DatabaseMeter } from './database-meter.js';
import { measurePairs, type CpuTimes, type Pair, type Report } from './reading.js';

interface RunningEngine {
  readonly stack: Stack;
  readonly apiPid: number;
  readonly workerPid: number;
}

const CHECKS = 30;
const WARM_UP = 10;
/** Due at once, for each pair. */
const DUE = 1_000;
/** Jobs of BullMQ alone that are under way. */
const BATCH = 200;
const LIMIT_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Checks of names, one by one: the first one, which verifies the name; the API's part of it from the moment at which the
 * worker has the job; and a later check, which finds nothing new.
 */
export async function countChecks(
  engine: RunningEngine,
  meter: DatabaseMeter,
  queues: ObservedQueues,
  report: Report,
): Promise<void> {
  const domains = await seedChecks(engine, meter);
  const tallies = {
    warmUp: new DatabaseTally(),
    first: new DatabaseTally(),
    result: new DatabaseTally(),
    again: new DatabaseTally(),
  };
  const checkAll = async (checked: readonly SeededDomain[], whole: DatabaseTally, part: DatabaseTally) => {
    for (const domain of checked) await checkOne(domain, { engine, meter, queues }, whole, part);
  };
  await checkAll(domains.slice(0, WARM_UP), tallies.warmUp, tallies.warmUp);
  await checkAll(domains.slice(WARM_UP), tallies.first, tallies.result);
  await checkAll(domains.slice(0, WARM_UP), tallies.warmUp, tallies.warmUp);
  await checkAll(domains.slice(WARM_UP), tallies.again, tallies.warmUp);
  await report([
    ...tallies.first.counts('first-check'),
    ...tallies.result.counts('result'),
    ...tallies.again.counts('later-check'),
  ]);
}

async function checkOne(
  { id }: SeededDomain,
  {
    engine,
    meter,
    queues,
  }: { readonly engine: RunningEngine; readonly meter: DatabaseMeter; readonly queues: ObservedQueues },
  whole: DatabaseTally,
  part: DatabaseTally,
): Promise<void> {
  await meter.during(whole, async () => {
    // A worker that is stopped leaves the job in the queue: so the parts of the check can be told apart.
    process.kill(engine.workerPid, 'SIGSTOP');
    await meter.change([
      [`update domain_work set due_at = now() where domain_id = $1 and kind = 'dns'`, [id]],
      [`select pg_notify('domain_work', '')`],
    ]);
    await queues.untilWaiting();
    await meter.during(part, async () => {
      process.kill(engine.workerPid, 'SIGCONT');
      await meter.untilFound('the result of a check', isApplied, [id]);
    });
  });
}

const isApplied = `select from domain_work where domain_id = $1 and kind = 'dns' and lease_until is null and due_at > now()`;

/** Names of which none is due, with records that match. */
function seedChecks({ stack }: RunningEngine, { client }: DatabaseMeter): Promise<readonly SeededDomain[]> {
  const named = Array.from({ length: WARM_UP + CHECKS }, (_, index) => ({
    name: `match-quick${index}.engine.example.com`,
    token: `tquick${index}`,
  }));
  return seedDomains(client, stack.organizationId, named, new Date(Date.now() + DAY_MS));
}

/** CPU time of first checks that are due at once, beside BullMQ alone, whose jobs and events do nothing, at the same time. */
export async function compareChecks(engine: RunningEngine, report: Report): Promise<void> {
  const noOps = await startNoOps(engine.stack.redis.url);
  let round = 0;
  const measurePair = async (): Promise<Pair> => {
    let before: readonly number[] = [];
    let running = Promise.resolve<CpuTimes>({});
    const end = new AbortController();
    await verifyDomains(engine.stack, `quick${round++}`, DUE, () => {
      before = readCpu(engine);
      running = noOps.run(end.signal);
    });
    const after = readCpu(engine);
    end.abort();
    const ours = processes.map((name, at) => [name, ((after[at] ?? 0) - (before[at] ?? 0)) / DUE] as const);
    return { ours: Object.fromEntries(ours), peer: await running };
  };
  try {
    await report(await measurePairs('first-check', measurePair));
  } finally {
    await noOps.close();
  }
}

const processes = ['pets-api', 'domains-worker', 'postgres'] as const;

function readCpu({ stack, apiPid, workerPid }: RunningEngine): readonly number[] {
  return [apiPid, workerPid, stack.postgres.pid].map(threadCpuSeconds);
}

interface NoOps {
  /** Adds jobs and takes their events until it is aborted. @returns CPU time of a job with its event */
  run(signal: AbortSignal): Promise<CpuTimes>;
  close(): Promise<void>;
}

/** Jobs that this process adds, another one takes, and whose events come back here. */
async function startNoOps(redisUrl: string): Promise<NoOps> {
  const lines: string[] = [];
  const worker = run({
    ...{ name: 'no-op-worker', command: process.execPath, onLine: (line) => void lines.push(line) },
    args: [fileURLToPath(new URL('../engine/no-op-worker-main.js', import.meta.url)), 'redis', redisUrl],
  });
  await waitUntil(() => lines.includes('ready'), { timeoutMs: LIMIT_MS, message: 'the no-op worker' });
  const queues = openNoOpQueues({ redisUrl });
  let handled = 0;
  await queues.process(noOpQueues.events, noOpWorkers.events, async () => void (handled += 1));
  return {
    run: async (signal) => {
      const before = { handled, cpu: ownCpuSeconds() + threadCpuSeconds(worker.pid) };
      while (!signal.aborted) {
        const wanted = handled + BATCH;
        await queues.add(noOpQueues.jobs, BATCH);
        await waitUntil(() => handled >= wanted, { timeoutMs: LIMIT_MS, intervalMs: 2, message: 'no-op events' });
      }
      return { bullmq: (ownCpuSeconds() + threadCpuSeconds(worker.pid) - before.cpu) / (handled - before.handled) };
    },
    close: async () => {
      await queues.close();
      await worker.stop();
    },
  };
}

/** CPU seconds of this process, without those of the processes that it has started. */
function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const LIVE_WARM_UP = 3;
const DOMAINS = 10;

/** A domain from the click on Verify to live, one after the other: with a worker, an edge and a CA. */
export async function countGoingLive(
  stack: Stack,
  meter: DatabaseMeter,
  queues: ObservedQueues,
  report: Report,
): Promise<void> {
  const [ourApi, ourWorker] = [await stack.startApi(), await stack.startWorker()];
  const { process: ourEdge } = await stack.startEdge(ourApi);
  try {
    await untilAccountIsReady(meter.client);
    const clicks = new Clicks(meter.client, stack, ourApi.url);
    const domains = await seedUnchecked(meter.client, stack, LIVE_WARM_UP + DOMAINS);
    for (const domain of domains.slice(0, LIVE_WARM_UP)) await clicks.goLive([domain]);
    const tally = new DatabaseTally();
    const before = await queues.messages();
    // As one piece: edges report what they have applied at their own pace, also between two clicks.
    const goLive = async () => {
      for (const domain of domains.slice(LIVE_WARM_UP)) await clicks.goLive([domain]);
    };
    await meter.during(tally, goLive, DOMAINS);
    const messages = (await queues.messages()) - before;
    // Statements of loops that run in the background are too many in the time that a CA takes.
    const counts = tally.counts('click-to-live').filter(({ name }) => !name.endsWith('/statements'));
    await report([...counts, { kind: 'count', name: 'click-to-live/messages', value: messages / DOMAINS }]);
  } finally {
    await Promise.all([ourApi.stop(), ourWorker.stop(), ourEdge.stop()]);
  }
}

/** BullMQ's keys of a queue start with this. */
const prefixes = Object.values(queues).map((name) => `bull:${name}:`);
const QUEUES_LIMIT_MS = 10_000;

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
    await waitUntil(isWaiting, { timeoutMs: QUEUES_LIMIT_MS, intervalMs: 2, message: 'a job' });
  }

  async close(): Promise<void> {
    await this.#redis.quit();
  }
}
