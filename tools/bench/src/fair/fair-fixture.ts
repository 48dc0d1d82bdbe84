import pg from 'pg';
import { startCertificateFixture } from '../certificates/certificate-fixture.js';
import { untilAccountIsReady } from '../certificates/clicks.js';
import { createOrganization, startApi, startEdge, startWorker } from '../engine/engine-fixture.js';
import type { FairFixture } from './attack.js';

/** The default, which the fixture of the engine switches off. */
const REQUESTS_PER_MINUTE = '1000';

/** Runs work beside a complete stack in which tenants have their limits. The worker may send webhooks to this machine. */
export async function withFixture<T>(work: (fixture: FairFixture) => Promise<T>): Promise<T> {
  const { close, ...fixture } = await startFixture();
  try {
    return await work(fixture);
  } finally {
    await close();
  }
}

async function startFixture(): Promise<FairFixture & { readonly close: () => Promise<void> }> {
  const certificates = await startCertificateFixture();
  const { api, worker, edge } = certificates.environment();
  const shared = { ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' };
  const ours = { ...api, ...shared, RATE_LIMIT_PER_MINUTE: REQUESTS_PER_MINUTE };
  const db = new pg.Client({ connectionString: certificates.engine.postgres.url });
  await db.connect();
  const ourApi = await startApi(ours, warn);
  const ourWorker = await startWorker({ ...worker, ...shared }, warn);
  const ourEdge = await startEdge({ ...edge, API_URL: ourApi.url }, warn);
  await untilAccountIsReady(db);
  return {
    apiUrl: ourApi.url,
    db,
    certificates,
    createTenant: (plan) => createOrganization(ours, plan),
    close: async () => {
      await Promise.all([ourApi.child.stop(), ourWorker.child.stop(), ourEdge.stop()]);
      await db.end();
      await certificates.close();
    },
  };
}

function warn(line: string): void {
  if (!line.includes('"level":30')) process.stderr.write(`${line.slice(0, 300)}\n`);
}
