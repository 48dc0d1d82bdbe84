import { startApi, startEdge, startWorker } from '../engine/engine-fixture.js';
import type { CertificateFixture } from '../certificates/certificate-fixture.js';
import { Clicks, seedUnchecked, untilAccountIsReady } from '../certificates/clicks.js';
import { DatabaseTally, type DatabaseMeter } from './database-meter.js';
import type { ObservedQueues } from './queues.js';
import type { Report } from './reading.js';

const WARM_UP = 3;
const DOMAINS = 10;

/** A domain from the click on Verify to live, one after the other: with a worker, an edge and a CA. */
export async function countGoingLive(
  fixture: CertificateFixture,
  meter: DatabaseMeter,
  queues: ObservedQueues,
  report: Report,
): Promise<void> {
  const { api, worker, edge } = fixture.environment();
  const ourApi = await startApi(api);
  const ourWorker = await startWorker(worker);
  const ourEdge = await startEdge({ ...edge, API_URL: ourApi.url });
  try {
    await untilAccountIsReady(meter.client);
    const clicks = new Clicks(meter.client, fixture, ourApi.url);
    const domains = await seedUnchecked(meter.client, fixture, WARM_UP + DOMAINS);
    for (const domain of domains.slice(0, WARM_UP)) await clicks.goLive([domain]);
    const tally = new DatabaseTally();
    const before = await queues.messages();
    // As one piece: edges report what they have applied at their own pace, also between two clicks.
    const goLive = async () => {
      for (const domain of domains.slice(WARM_UP)) await clicks.goLive([domain]);
    };
    await meter.during(tally, goLive, DOMAINS);
    const messages = (await queues.messages()) - before;
    // Statements of loops that run in the background are too many in the time that a CA takes.
    const counts = tally.counts('click-to-live').filter(({ name }) => !name.endsWith('/statements'));
    await report([...counts, { kind: 'count', name: 'click-to-live/messages', value: messages / DOMAINS }]);
  } finally {
    await Promise.all([ourApi.child.stop(), ourWorker.child.stop(), ourEdge.stop()]);
  }
}
