import { fileURLToPath } from 'node:url';
import { waitUntil } from '@pets/dev-stack';
import { noOpQueues, noOpWorkers, openNoOpQueues, type Store } from './no-op-messages.js';
import { run } from './programs.js';

const BATCH = 500;
/** The dispatcher keeps no more waiting either. */
const MAX_WAITING = 2_000;
const LIMIT_MS = 120_000;
const PATIENTLY = { timeoutMs: LIMIT_MS, message: 'the no-op worker to keep up' };

/** Jobs a second through an engine that does nothing: added here, taken by another process, whose event comes back. */
export async function measureCeiling(store: Store, jobs: number): Promise<number> {
  const lines: string[] = [];
  const where = store.redisUrl === undefined ? ['postgres', store.databaseUrl ?? ''] : ['redis', store.redisUrl];
  const program = fileURLToPath(new URL('no-op-worker-main.js', import.meta.url));
  const worker = run({
    ...{ name: 'no-op-worker', command: process.execPath, args: [program, ...where] },
    onLine: (line) => lines.push(line),
  });
  const queues = openNoOpQueues(store);
  try {
    await waitUntil(() => lines.includes('ready'), { timeoutMs: LIMIT_MS, message: 'the no-op worker' });
    let handled = 0;
    await queues.process(noOpQueues.events, noOpWorkers.events, async () => void (handled += 1));
    const began = performance.now();
    for (let added = 0; added < jobs;) {
      const isBehind = (await queues.waitingCount(noOpQueues.jobs)) >= MAX_WAITING;
      if (isBehind) await waitUntil(async () => (await queues.waitingCount(noOpQueues.jobs)) < MAX_WAITING, PATIENTLY);
      const count = Math.min(BATCH, jobs - added);
      await queues.add(noOpQueues.jobs, count);
      added += count;
    }
    await waitUntil(() => handled === jobs, { timeoutMs: LIMIT_MS, intervalMs: 5, message: 'the last no-op event' });
    return (jobs * 1_000) / (performance.now() - began);
  } finally {
    await queues.close();
    await worker.stop();
  }
}
