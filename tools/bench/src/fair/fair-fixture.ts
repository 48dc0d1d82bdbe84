import pg from 'pg';
import {
  startCertificateFixture,
  untilAccountIsReady,
  type CertificateFixture,
} from '../certificates/certificate-fixture.js';
import { createOrganization, startApi, startEdge, startWorker } from '../engine/engine-fixture.js';

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

/** An organization of the operator's, with a key of full scopes. Its limits are those of its plan. */
export interface Tenant {
  readonly organizationId: string;
  readonly apiKey: string;
}

/** A complete stack: PostgreSQL, Redis, one pets-api, one worker, one edge, a CA and DNS whose records can be set. */
export interface FairFixture {
  readonly apiUrl: string;
  readonly db: pg.Client;
  readonly certificates: CertificateFixture;
  readonly createTenant: (plan: 'free' | 'pro' | 'enterprise') => Tenant;
}

/**
 * What another tenant does meanwhile: a `request` is a list of its projects, `live` a domain from its click until it is live,
 * `checked` a domain from its click until the result of the check is stored, `delivery` a webhook from its cause to its receiver.
 */
export type Victim = 'request' | 'live' | 'checked' | 'delivery';

/** What one tenant, or some together, may do with ordinary keys. */
export interface Attack {
  /** Of its figures: `fair/NAME/…`. */
  readonly name: string;
  readonly victim: Victim;
  /** Creates what it needs, once. */
  prepare(fixture: FairFixture): Promise<RunningAttack>;
}

interface RunningAttack {
  /** Attacks until the signal aborts, and resolves when nothing of it is under way. Called once for each round. */
  run(signal: AbortSignal): Promise<void>;
  /** Stops what `prepare` has started. */
  close?(): Promise<void>;
}
