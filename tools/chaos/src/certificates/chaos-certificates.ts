import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, type SeededDomain } from '@pets/bench/engine';
import { waitUntil } from '@pets/dev-stack';
import { Redis } from 'ioredis';
import { createRandom, type ChaosOptions, type Random, type RecoveredMs, type Round } from '../round.js';
import { playBrokenName, playSlowCa, slowCas } from './plays.js';
import { startCertificateChaosFixture, type CertificateChaosFixture } from './certificate-chaos-fixture.js';
import { evaluateIssued, type IssuedOutcome } from './issued-outcome.js';

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
  'kill-worker': async ({ worker }, random) => {
    await someTime(random);
    worker.kill();
    const since = Date.now();
    await worker.untilReady();
    return since;
  },
  'kill-api': async ({ api }, random) => {
    await someTime(random);
    api.kill();
    const since = Date.now();
    await api.untilReady();
    return since;
  },
  'kill-both': async ({ api, worker }, random) => {
    await someTime(random);
    api.kill();
    await someTime(random);
    worker.kill();
    const since = Date.now();
    await Promise.all([api.untilReady(), worker.untilReady()]);
    return since;
  },
  'flush-redis': async ({ redisPort }, random) => {
    await someTime(random);
    const redis = new Redis(redisPort, '127.0.0.1');
    await redis.flushall();
    redis.disconnect();
    return Date.now();
  },
  'restart-ca': async ({ restartCa }, random) => {
    await someTime(random);
    await restartCa();
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
  const processes = [fixture.api, fixture.worker, fixture.edge];
  const exitsBefore = processes.flatMap(({ unexpectedExits }) => unexpectedExits).length;
  const named = Array.from({ length: DOMAINS_A_ROUND }, (_, index) => ({
    name: `c${label}x${index}.certificates.example.com`,
    token: `c${label}x${index}`,
  }));
  for (const domain of named) fixture.base.pointHere(domain);
  const domains = await seedDomains(fixture.db, fixture.base.engine.organizationId, named, new Date());
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
