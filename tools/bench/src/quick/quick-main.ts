import { moveToDriverProcessor } from '../engine/processes.js';
import { startApi, startWorker } from '../engine/engine-fixture.js';
import { startCertificateFixture, type CertificateFixture } from '../certificates/certificate-fixture.js';
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
  const fixture = await startCertificateFixture(meteredPostgres);
  const meter = await DatabaseMeter.open(fixture.engine.postgres.url);
  const redisUrl = `redis://127.0.0.1:${fixture.engine.redisPort ?? 0}`;
  const queues = new ObservedQueues(redisUrl);
  try {
    await measureEngine(fixture, redisUrl, meter, queues, report);
    // Orders for the names that were verified would be placed beside those that are counted.
    await meter.client.query('delete from domain_work');
    await countGoingLive(fixture, meter, queues, report);
    await measureStartUps(fixture, report);
  } finally {
    await queues.close();
    await meter.close();
    await fixture.close();
  }
  moveToDriverProcessor(); // which cannot be undone
  await measureEdge(report);
});

/** With DNS that answers at once, and without a CA, so that nothing but checks happens. */
async function measureEngine(
  { engine }: CertificateFixture,
  redisUrl: string,
  meter: DatabaseMeter,
  queues: ObservedQueues,
  report: Report,
): Promise<void> {
  const { api, worker } = engine.environment();
  const [ourApi, ourWorker] = [await startApi(api), await startWorker(worker)];
  try {
    const { url: databaseUrl, pid: postgresPid } = engine.postgres;
    const running = { url: ourApi.url, pid: ourApi.child.pid, apiKey: engine.apiKey, databaseUrl, postgresPid };
    const checks = { fixture: engine, apiPid: ourApi.child.pid, workerPid: ourWorker.child.pid, redisUrl };
    await countApiWork(running, meter, report);
    await countChecks(checks, meter, queues, report);
    await compareApi(running, report);
    await compareChecks(checks, report);
  } finally {
    await Promise.all([ourApi.child.stop(), ourWorker.child.stop()]);
  }
}
