import { startStack, type Stack } from '@pets/lab';
import pg from 'pg';
import { untilAccountIsReady } from '../certificates/clicks.js';

/** The default, which a stack of the lab switches off. */
const REQUESTS_PER_MINUTE = '1000';

/** Runs work beside a complete stack in which tenants have their limits. The worker may send webhooks to this machine. */
export async function withFixture<T>(work: (fixture: FairFixture) => Promise<T>): Promise<T> {
  const shared = { ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' };
  const stack = await startStack({
    ca: 'pebble',
    processes: ['api', 'worker'],
    edges: 1,
    settings: { api: { ...shared, RATE_LIMIT_PER_MINUTE: REQUESTS_PER_MINUTE }, worker: shared },
    onLine: warn,
  });
  const db = new pg.Client({ connectionString: stack.postgres.url });
  await db.connect();
  try {
    await untilAccountIsReady(db);
    return await work({ apiUrl: stack.api.url, db, stack });
  } finally {
    await db.end();
    await stack.close();
  }
}

function warn(line: string): void {
  if (!line.includes('"level":30')) process.stderr.write(`${line.slice(0, 300)}\n`);
}

/** A complete stack: PostgreSQL, Redis, one pets-api, one worker, one edge, a CA and DNS whose records can be set. */
export interface FairFixture {
  readonly apiUrl: string;
  readonly db: pg.Client;
  readonly stack: Stack;
}

/**
 * Operation of another tenant meanwhile: a `request` is a list of its projects, `live` a domain from its click until it is
 * live, `checked` a domain from its click until the result of the check is stored, `delivery` a webhook from its cause to its
 * receiver.
 */
export type Victim = 'request' | 'live' | 'checked' | 'delivery';

/** Actions of one tenant, or some together, with ordinary keys. */
export interface Attack {
  /** The name of its figures: `fair/NAME/…`. */
  readonly name: string;
  readonly victim: Victim;
  /** The quantile of the victim's times that is compared, unless it is the usual one of the victim. */
  readonly share?: number;
  /** Creates what it needs, once. */
  prepare(fixture: FairFixture): Promise<RunningAttack>;
}

interface RunningAttack {
  /** Attacks until the signal aborts, and resolves when nothing of it is under way. Called once for each round. */
  run(signal: AbortSignal): Promise<void>;
  /** Stops what `prepare` has started. */
  close?(): Promise<void>;
}
