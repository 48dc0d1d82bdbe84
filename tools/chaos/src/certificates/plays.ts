import { seedDomains, startStack, type CaObserver, type Stack, type StackProcess } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import type pg from 'pg';
import type { Round } from '../round.js';

/** Everything that issues and serves certificates, with processes that come back and a CA that can be lost. */
export interface CertificateChaosFixture {
  readonly stack: Stack;
  readonly observer: CaObserver;
  readonly edge: StackProcess;
  /** A connection to the database. */
  readonly db: pg.Client;
  close(): Promise<void>;
}

export async function startCertificateChaosFixture(): Promise<CertificateChaosFixture> {
  const stack = await startStack({
    ca: 'pebble',
    proxies: ['ca'],
    processes: ['api', 'worker'],
    edges: 1,
    isKept: true,
  });
  const { observer } = stack.issuing;
  const [edge] = stack.edges;
  if (observer === null || edge === undefined) throw new Error('a part of the stack was not started');
  const db = await stack.postgres.connect();
  return {
    ...{ stack, observer, db, edge: edge.process },
    close: async () => {
      await db.end();
      await stack.close();
    },
  };
}

const DOMAINS = 5;
/** From the moment at which the CA has a certificate until visitors get it. */
const LIVE_WITHIN_MS = 5_000;
const LIMIT_MS = 90_000;

/** How long the CA takes to issue a certificate after an order was finalized, in seconds. */
export const slowCas: Readonly<Record<string, number>> = { 'slow-ca-70-seconds': 70, 'slow-ca-10-minutes': 600 };

/**
 * A CA that finalizes later than any job waits. Each order must be placed and finalized once, and its certificate served within
 * five seconds after the CA has it.
 */
export async function playSlowCa(
  { stack, db, observer }: CertificateChaosFixture,
  label: string,
  seconds: number,
): Promise<Omit<Round, 'name'>> {
  const named = Array.from({ length: DOMAINS }, (_, index) => ({
    name: `${label}-${index}.certificates.example.com`,
    token: `${label}-${index}`,
  }));
  for (const domain of named) stack.issuing.pointHere(domain);
  observer.delayIssuance(seconds * 1_000);
  const domains = await seedDomains(db, stack.organizationId, named, new Date());
  const live = async () =>
    (
      await db.query<{ name: string; at: Date }>(
        `select name, live_at as at from domains where state = 'live' and id = any($1::uuid[])`,
        [domains.map(({ id }) => id)],
      )
    ).rows;
  const isDone = async () => (await live()).length === DOMAINS;
  await waitUntil(isDone, { timeoutMs: seconds * 1_000 + LIMIT_MS, intervalMs: 500 }).catch(() => undefined); // see below
  observer.delayIssuance(0);
  const rows = await live();
  const waits = rows.map(({ name, at }) => at.getTime() - observer.issuedAtMs(name));
  const longestMs = Math.max(0, ...waits);
  const again = named.reduce(
    (sum, { name }) => sum + Math.max(observer.certificates(name), observer.orders(name)) - 1,
    0,
  );
  const lost = DOMAINS - rows.length;
  return {
    seen: [
      ...(lost > 0 ? [`${lost} domains are not live`] : []),
      ...(again > 0 ? [`${again} orders too many`] : []),
      ...(longestMs > LIVE_WITHIN_MS ? [`live only ${longestMs} ms after the CA had the certificate`] : []),
    ],
    ...{ lost, duplicated: again, recoveredMs: lost > 0 ? 'never' : longestMs },
  };
}

const DAY_MS = 86_400_000;
const MOST_ORDERS = 5;
/** An attempt and its result, with room for a machine that does other things. */
const ATTEMPT_LIMIT_MS = 60_000;
/** A loopback address where nothing listens. */
const NOWHERE = '127.0.0.9';

/**
 * A name that points here for us and elsewhere for the CA: the gate opens, and every challenge fails. Its day is a
 * virtual one: whenever an attempt has ended, all of its times are moved back by what is left until the next.
 * There is nothing to lose or to recover in it: what counts is how often the CA is asked.
 */
export async function playBrokenName(fixture: CertificateChaosFixture, label: string): Promise<Omit<Round, 'name'>> {
  const domain = { name: `${label}.certificates.example.com`, token: label };
  fixture.stack.issuing.pointHere(domain);
  fixture.stack.issuing.dnsOfCa.remove(domain.name);
  fixture.stack.issuing.dnsOfCa.put({ type: 'A', name: domain.name, data: NOWHERE });
  const [seeded] = await seedDomains(fixture.db, fixture.stack.organizationId, [domain], new Date());
  if (seeded === undefined) throw new Error('the domain was not seeded');
  let passedMs = 0;
  while (passedMs < DAY_MS) {
    const waitMs = await untilAttemptEnded(fixture, seeded.id);
    if (waitMs === null) break;
    passedMs += waitMs;
    if (passedMs < DAY_MS) await moveBack(fixture, seeded.id, waitMs);
  }
  const orders = fixture.observer.orders(domain.name);
  const seen = [
    ...(orders === 0 ? ['the CA was never asked, so that nothing was tried'] : []),
    ...(orders > MOST_ORDERS ? [`${orders} orders in a day`] : []),
  ];
  return { seen, lost: null, duplicated: null, recoveredMs: null, remark: `${orders} orders in a day` };
}

/** @returns milliseconds until the next attempt, or null when there will be none */
async function untilAttemptEnded({ db }: CertificateChaosFixture, id: string): Promise<number | null> {
  let waitMs: number | null = null;
  const hasEnded = async () => {
    const { rows } = await db.query<{ wait: number | null }>(
      `select extract(epoch from w.due_at - now())::float8 * 1000 as wait from domain_work w
       where w.domain_id = $1 and w.kind = 'issuance' and w.applied_attempt = w.attempt and w.attempt > 0
         and (w.due_at is null or w.due_at > now())`,
      [id],
    );
    waitMs = rows[0]?.wait ?? null;
    return rows.length > 0;
  };
  await waitUntil(hasEnded, { timeoutMs: ATTEMPT_LIMIT_MS, intervalMs: 50, message: 'the attempt to end' });
  return waitMs;
}

/** Moves the times of a domain back, as if so much time had passed for it. */
async function moveBack({ db }: CertificateChaosFixture, id: string, ms: number): Promise<void> {
  const by = `make_interval(secs => ${ms / 1_000})`;
  await db.query('begin');
  await db.query(
    `update domain_work set due_at = due_at - ${by}, requested_at = requested_at - ${by} where domain_id = $1`,
    [id],
  );
  await db.query(
    `update domains set generation_began_at = generation_began_at - ${by}, requested_at = requested_at - ${by},
       verified_at = verified_at - ${by} where id = $1`,
    [id],
  );
  await db.query(
    `update certificates set created_at = created_at - ${by}, failed_at = failed_at - ${by}, retry_at = retry_at - ${by}
     where domain_id = $1`,
    [id],
  );
  await db.query(`commit; select pg_notify('domain_work', '')`);
}
