import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, type SeededDomain } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import { Redis } from 'ioredis';
import { createRandom, type ChaosOptions, type Random, type RecoveredMs, type Round } from '../round.js';
import {
  playBrokenName,
  playSlowCa,
  slowCas,
  startCertificateChaosFixture,
  type CertificateChaosFixture,
} from './plays.js';

/**
 * Certificates are issued while something breaks. Once the fault is over, and with nobody's help, every domain must be
 * live within a minute and a half, by one transition each, and the CA must not have been asked for more than two
 * certificates of any name. A name the CA cannot reach must not make more than five orders in a day. A CA that is slow is
 * asked once, however slow it is.
 */

const DOMAINS_A_ROUND = 50;
/** The issuances of a round take about so long on a quiet machine. */
const BUSY_MS = 5_000;
const LIMIT_MS = 90_000;

/** @returns when the product was left to itself, as for the engine */
type Play = (fixture: CertificateChaosFixture, random: Random) => Promise<number>;

const someTime = (random: Random) => sleep(random.between(0, BUSY_MS));

const faults: Readonly<Record<string, Play>> = {
  'kill-worker': async ({ stack: { worker } }, random) => {
    await someTime(random);
    await worker.kill();
    const since = Date.now();
    await worker.untilReady();
    return since;
  },
  'kill-api': async ({ stack: { api } }, random) => {
    await someTime(random);
    await api.kill();
    const since = Date.now();
    await api.untilReady();
    return since;
  },
  'kill-both': async ({ stack: { api, worker } }, random) => {
    await someTime(random);
    await api.kill();
    await someTime(random);
    await worker.kill();
    const since = Date.now();
    await Promise.all([api.untilReady(), worker.untilReady()]);
    return since;
  },
  'flush-redis': async ({ stack }, random) => {
    await someTime(random);
    const redis = new Redis(stack.redis.port, '127.0.0.1');
    await redis.flushall();
    redis.disconnect();
    return Date.now();
  },
  'restart-ca': async ({ stack }, random) => {
    await someTime(random);
    await stack.issuing.pebble.restart();
    return Date.now();
  },
};

/** Once a run: its day is a virtual one, and nothing in it is random. */
const BROKEN_NAME = 'broken-name';

export async function* chaosCertificates({ seed, rounds, only }: ChaosOptions): AsyncGenerator<Round> {
  const names = [...Object.keys(faults), BROKEN_NAME, ...Object.keys(slowCas)];
  if (only !== undefined && !names.includes(only)) throw new Error(`there is no fault ${only}: ${names.join(', ')}`);
  const fixture = await startCertificateChaosFixture();
  try {
    for (const [index, [name, fault]] of Object.entries(faults).entries()) {
      if (only !== undefined && name !== only) continue;
      for (let round = 1; round <= rounds; round++) {
        yield await play(fixture, { name, fault }, createRandom(seed + 1_000 * index + round), `${index}x${round}`);
      }
    }
    if (only === undefined || only === BROKEN_NAME)
      yield { name: BROKEN_NAME, ...(await playBrokenName(fixture, BROKEN_NAME)) };
    for (const [name, seconds] of Object.entries(slowCas))
      if (only === undefined || only === name) yield { name, ...(await playSlowCa(fixture, name, seconds)) };
  } finally {
    await fixture.close();
  }
}

async function play(
  fixture: CertificateChaosFixture,
  { name, fault }: { readonly name: string; readonly fault: Play },
  random: Random,
  label: string,
): Promise<Round> {
  const { stack } = fixture;
  const processes = [stack.api, stack.worker, fixture.edge];
  const exitsBefore = processes.flatMap(({ unexpectedExits }) => unexpectedExits).length;
  const named = Array.from({ length: DOMAINS_A_ROUND }, (_, index) => ({
    name: `c${label}x${index}.certificates.example.com`,
    token: `c${label}x${index}`,
  }));
  for (const domain of named) stack.issuing.pointHere(domain);
  const domains = await seedDomains(fixture.db, stack.organizationId, named, new Date());
  const since = await fault(fixture, random);
  const recoveredMs = await untilLive(fixture, domains, since);
  const exits = processes.flatMap(({ unexpectedExits }) => unexpectedExits).slice(exitsBefore);
  const { lost, duplicated, seen: wrong } = await judge(fixture, domains);
  const seen = [...wrong, ...(recoveredMs === 'never' && lost === 0 ? ['the domains were late'] : []), ...exits];
  if (seen.length > 0) for (const { lines } of processes) process.stderr.write(`  ${lines.slice(-15).join('\n  ')}\n`);
  return { name, seen, lost, duplicated, recoveredMs };
}

/** @returns how long it took until all were live, counted from `since` */
async function untilLive(
  { db }: CertificateChaosFixture,
  domains: readonly SeededDomain[],
  since: number,
): Promise<RecoveredMs> {
  const left = `select from domains where state <> 'live' and id = any($1::uuid[]) limit 1`;
  const isDone = async () => (await db.query(left, [domains.map(({ id }) => id)])).rowCount === 0;
  return waitUntil(isDone, { timeoutMs: LIMIT_MS, intervalMs: 100 }).then(
    () => Date.now() - since,
    () => 'never', // the verdict has the reason
  );
}

async function judge({ db, observer }: CertificateChaosFixture, domains: readonly SeededDomain[]) {
  const { rows } = await db.query<Omit<IssuedOutcome, 'certificates'>>(
    `select d.name, d.state, d.certificate_issues->0->>'message' as issue,
       coalesce((select array_agg(e.to_state order by e.number) from project_events e
        where e.domain_id = d.id and e.from_state is distinct from e.to_state), '{}') as moves
     from domains d where d.id = any($1::uuid[])`,
    [domains.map(({ id }) => id)],
  );
  return evaluateIssued(rows.map((row) => ({ ...row, certificates: observer.certificates(row.name) })));
}

/** A domain after a round in which it should have become live. */
export interface IssuedOutcome {
  readonly name: string;
  readonly state: string;
  /** Issue that the product reports for it. */
  readonly issue: string | null;
  /** The states it went to, in order. */
  readonly moves: readonly string[];
  /** How many certificates the CA gave for it, by the CA's own answers. */
  readonly certificates: number;
}

/** A queue or a CA that loses its data has lost the order, so that one more is allowed. */
const MOST_CERTIFICATES = 2;
const MOST_SEEN = 3;
const expected = ['awaiting_dns', 'verified', 'live'];

/**
 * Counts what was lost (domains that are not live, or whose history lacks a change of state) and what was done again:
 * changes of state beyond one of each, and certificates beyond the first of a name.
 */
export function evaluateIssued(outcomes: readonly IssuedOutcome[]): {
  readonly lost: number;
  readonly duplicated: number;
  readonly seen: readonly string[];
} {
  const late = outcomes.filter(({ state }) => state !== 'live');
  const moved = outcomes.filter(({ state, moves }) => state === 'live' && moves.join() !== expected.join());
  const excessive = outcomes.filter(({ certificates }) => certificates > MOST_CERTIFICATES);
  const incomplete = moved.filter(({ moves }) => expected.some((state) => !moves.includes(state)));
  const again = outcomes.map(
    ({ moves, certificates }) => moves.length - new Set(moves).size + Math.max(certificates - 1, 0),
  );
  const unlive = late.map(({ name, state, issue }) => `${name} is ${state}: ${issue ?? 'no issue'}`);
  return {
    lost: late.length + incomplete.length,
    duplicated: again.reduce((sum, count) => sum + count, 0),
    seen: [
      ...(late.length > 0 ? [`${late.length} domains are not live: ${unlive.slice(0, MOST_SEEN).join(', ')}`] : []),
      ...moved.slice(0, MOST_SEEN).map(({ name, moves }) => `${name} went ${moves.join(' → ')}`),
      ...excessive.slice(0, MOST_SEEN).map(({ name, certificates }) => `${name} has ${certificates} certificates`),
    ],
  };
}
