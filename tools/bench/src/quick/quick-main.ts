import { startStack, type Stack } from '@pets/lab';
import { moveToDriverProcessor } from '../engine/processes.js';
import { beSuite } from '../measured/run-suite.js';
import { compareApi, countApiWork } from './api-work.js';
import { compareChecks, countChecks, countGoingLive, ObservedQueues } from './engine-work.js';
import { DatabaseMeter, meteredPostgres } from './database-meter.js';
import { measureEdge } from './edge-work.js';
import { describeReading, type Reading, type Report } from './reading.js';
import { measureStartUps } from './start-ups.js';

/**
 * The quick benchmark: mostly counts, which are the same in every run, and CPU times beside a peer, which are not. All parts
 * but the last share one PostgreSQL, Redis, DNS and CA.
 */
await beSuite<Reading>(async (send) => {
  const report: Report = async (readings) => {
    for (const reading of readings) {
      process.stdout.write(`${describeReading(reading)}\n`);
      await send(reading);
    }
  };
  const stack = await startStack({ stores: { postgres: meteredPostgres }, ca: 'pebble', hasKnownNames: true });
  const meter = await DatabaseMeter.open(stack.postgres.url);
  const queues = new ObservedQueues(stack.redis.url);
  try {
    await measureEngine(stack, meter, queues, report);
    // Orders for the names that were verified would be placed beside those that are counted.
    await meter.client.query('delete from domain_work');
    await countGoingLive(stack, meter, queues, report);
    await measureStartUps(stack, report);
  } finally {
    await queues.close();
    await meter.close();
    await stack.close();
  }
  moveToDriverProcessor(); // which cannot be undone
  await measureEdge(report);
});

/** Measures with DNS that answers at once, and without a CA, so that nothing but checks happens. */
async function measureEngine(
  stack: Stack,
  meter: DatabaseMeter,
  queues: ObservedQueues,
  report: Report,
): Promise<void> {
  const { api, worker } = stack.environments(false);
  const [ourApi, ourWorker] = [await stack.startApi(api), await stack.startWorker(worker)];
  try {
    const { url: databaseUrl, pid: postgresPid } = stack.postgres;
    const running = { url: ourApi.url, pid: ourApi.pid, apiKey: stack.apiKey, databaseUrl, postgresPid };
    const checks = { stack, apiPid: ourApi.pid, workerPid: ourWorker.pid };
    await countApiWork(running, meter, report);
    await countChecks(checks, meter, queues, report);
    await compareApi(running, report);
    await compareChecks(checks, report);
  } finally {
    await Promise.all([ourApi.stop(), ourWorker.stop()]);
  }
}
