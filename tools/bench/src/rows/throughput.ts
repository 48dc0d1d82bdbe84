import type { RunningChild } from '@pets/dev-stack';
import { startApi, startWorker, type EngineFixture } from '../engine/engine-fixture.js';
import { verifyDomains } from '../engine/verify-domains.js';

const WARM_UP = 500;
const DOMAINS = 20_000;

/** Domains that the engine verifies in a second, besides all rows that are there. */
export async function measureThroughput(fixture: EngineFixture, round: string, workers: number): Promise<number> {
  const { api, worker } = fixture.environment();
  const processes: { readonly child: RunningChild }[] = [await startApi(api, warn)];
  try {
    for (let started = 0; started < workers; started++) processes.push(await startWorker(worker, warn));
    await verifyDomains(fixture, `${round}w`, WARM_UP);
    const rate = (DOMAINS * 1_000) / (await verifyDomains(fixture, round, DOMAINS));
    process.stdout.write(`${round}: ${rate.toFixed(0)} domains/s, workers: ${workers}\n`);
    return rate;
  } finally {
    await Promise.all(processes.map(({ child }) => child.stop()));
  }
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
