import { fileURLToPath } from 'node:url';
import { run, verifyDomains, startStack, type Stack } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import type { Figure } from '../figure.js';
import { cpuSeconds } from './processes.js';
import { noOpQueues, noOpWorkers, openNoOpQueues, type Store as QueueStore } from './no-op-messages.js';
import { settings } from '../settings.js';

/** The store of BullMQ's queues. */
type Store = (typeof STORES)[number];

const BATCH = 500;
/** The dispatcher keeps no more waiting either. */
const MAX_WAITING = 2_000;
const CEILING_LIMIT_MS = 120_000;
const waitOptions = { timeoutMs: CEILING_LIMIT_MS, message: 'the no-op worker to keep up' };

/**
 * From due to verified: so many domains come due at one moment, and the clock runs until DNS has been asked for each of
 * them and the last has been found verified. Against what BullMQ alone does on the same store (its own ceiling), and
 * against a quarter as many domains (growth).
 */

const { BENCH_DOMAINS: DOMAINS, BENCH_STORES: STORES } = settings;
const CEILING_JOBS = 10_000;
/** Verifications after which the code is warm. */
const WARM_UP = 500;

const ENOUGH_A_SECOND = 1_000;
const SHARE_OF_CEILING = 0.35;
const MOST_GROWTH = 1.2;

export async function benchEngine(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const store of STORES) figures.push(...(await benchOn(store)));
  return figures;
}

async function benchOn(store: Store): Promise<readonly Figure[]> {
  const stack = await startStack({ stores: { queues: store }, onLine: warn });
  try {
    const { worker } = stack.environments();
    const ceiling = await measureCeiling(
      { redisUrl: worker.REDIS_URL, databaseUrl: worker.DATABASE_URL },
      CEILING_JOBS,
    );
    print(`${store}: BullMQ alone ${ceiling.toFixed(0)} jobs/s`);
    const [ours, theirs] = [await stack.startApi(), await stack.startWorker()];
    await verifyDomains(stack, 'warm', WARM_UP);
    const quarter = await verifyDomains(stack, 'quarter', DOMAINS / 4);
    const before = cpuOf(stack, store, ours.pid, theirs.pid);
    const all = await verifyDomains(stack, 'all', DOMAINS);
    const after = cpuOf(stack, store, ours.pid, theirs.pid);
    print(`${store}: ${DOMAINS / 4} domains in ${seconds(quarter)}, ${DOMAINS} in ${seconds(all)}`);
    const used = Object.entries(after).map(([name, cpu]) => `${name} ${(cpu - (before[name] ?? 0)).toFixed(1)} s`);
    print(`${store}: CPU for the ${DOMAINS}: ${used.join(', ')}`);
    const rate = (DOMAINS * 1_000) / all;
    print(`${store}: ${rate.toFixed(0)} domains/s end to end with one worker`);
    return figures(store, { rate, ceiling, growth: all / quarter / 4 });
  } finally {
    await stack.close();
  }
}

function figures(
  store: Store,
  { rate, ceiling, growth }: { rate: number; ceiling: number; growth: number },
): readonly Figure[] {
  // Of the two bars the lower one counts; only Redis has to reach it.
  const bar = store === 'redis' ? Math.min(SHARE_OF_CEILING, ENOUGH_A_SECOND / ceiling) : 0;
  return [
    { name: `engine-${store}/bullmq-alone`, ratio: rate / ceiling, bar },
    { name: `engine-${store}/linear-growth`, ratio: 1 / growth, bar: 1 / MOST_GROWTH },
  ];
}

function cpuOf(stack: Stack, store: Store, api: number, worker: number): Record<string, number> {
  return {
    'pets-api': cpuSeconds(api),
    'domains-worker': cpuSeconds(worker),
    postgres: cpuSeconds(stack.postgres.pid),
    ...(store === 'redis' && { redis: cpuSeconds(stack.redis.pid) }),
    dns: cpuSeconds(stack.knownNames.child.pid),
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Jobs a second through an engine that does nothing: added here, taken by another process, whose event comes back. */
async function measureCeiling(store: QueueStore, jobs: number): Promise<number> {
  const lines: string[] = [];
  const where = store.redisUrl === undefined ? ['postgres', store.databaseUrl ?? ''] : ['redis', store.redisUrl];
  const program = fileURLToPath(new URL('no-op-worker-main.js', import.meta.url));
  const worker = run({
    ...{ name: 'no-op-worker', command: process.execPath, args: [program, ...where] },
    onLine: (line) => lines.push(line),
  });
  const queues = openNoOpQueues(store);
  try {
    await waitUntil(() => lines.includes('ready'), { timeoutMs: CEILING_LIMIT_MS, message: 'the no-op worker' });
    let handled = 0;
    await queues.process(noOpQueues.events, noOpWorkers.events, async () => void (handled += 1));
    const began = performance.now();
    for (let added = 0; added < jobs;) {
      const isBehind = (await queues.waitingCount(noOpQueues.jobs)) >= MAX_WAITING;
      if (isBehind)
        await waitUntil(async () => (await queues.waitingCount(noOpQueues.jobs)) < MAX_WAITING, waitOptions);
      const count = Math.min(BATCH, jobs - added);
      await queues.add(noOpQueues.jobs, count);
      added += count;
    }
    await waitUntil(() => handled === jobs, {
      timeoutMs: CEILING_LIMIT_MS,
      intervalMs: 5,
      message: 'the last no-op event',
    });
    return (jobs * 1_000) / (performance.now() - began);
  } finally {
    await queues.close();
    await worker.stop();
  }
}
