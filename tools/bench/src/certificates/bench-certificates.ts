import pg from 'pg';
import { cpuSeconds } from '../engine/cpu.js';
import type { SeededDomain } from '../engine/seed.js';
import { settings } from '../engine/settings.js';
import { startApi, startEdge, startWorker } from '../engine/engine-fixture.js';
import { quantile, type Figure } from '../figure.js';
import { openBareIssuer, type BareIssuer } from './bare-issuance.js';
import { startCertificateFixture } from './certificate-fixture.js';
import { Clicks, seedUnchecked, untilAccountIsReady } from './clicks.js';

/**
 * From the request to verify to live, one domain at a time, alternating with a bare issuance by `acme-client` from the same
 * Pebble: the cost of the DNS check, the preflight, the edges and the verifying handshake. Then many domains at once.
 */

const { BENCH_CERTIFICATES: ROUNDS, BENCH_CERTIFICATES_AT_ONCE: AT_ONCE } = settings;
const WARM_UP = 5;
/** Bare issuances under way at once: as many as one worker has. */
const BARE_CONCURRENCY = 64;
const MOST_OVERHEAD = 2;

export async function benchCertificates(): Promise<readonly Figure[]> {
  const fixture = await startCertificateFixture();
  const db = new pg.Client({ connectionString: fixture.engine.postgres.url });
  await db.connect();
  const { api, worker, edge } = fixture.environment();
  const ourApi = await startApi({ ...api, ACME_LIMITS: withoutLimits(api['ACME_DIRECTORY_URLS']) }, warn);
  const ourWorker = await startWorker(worker, warn);
  const ourEdge = await startEdge({ ...edge, API_URL: ourApi.url }, warn);
  const bare = await openBareIssuer(fixture, '127.0.0.2');
  try {
    await untilAccountIsReady(db);
    const domains = await seedUnchecked(db, fixture, WARM_UP + ROUNDS + AT_ONCE);
    const ours = new Clicks(db, fixture, ourApi.url);
    await measureInTurns('warming up', domains.splice(0, WARM_UP), ours, bare);
    return [
      ...(await measureInTurns('as-eager-as-ours', domains.splice(0, ROUNDS), ours, bare)),
      ...(await measureAtOnce(domains, ours, bare, {
        'pets-api': ourApi.child.pid,
        'domains-worker': ourWorker.child.pid,
        edge: ourEdge.pid,
        postgres: fixture.engine.postgres.pid,
      })),
    ];
  } finally {
    await bare.close();
    await Promise.all([ourApi.child.stop(), ourWorker.child.stop(), ourEdge.stop()]);
    await db.end();
    await fixture.close();
  }
}

/** Pebble has none, and orders beyond those of a usual CA would wait in our queue. The ledger counts all the same. */
function withoutLimits(directoryUrl = ''): string {
  return `${directoryUrl}|orders=none|registered_domain=none`;
}

async function measureInTurns(
  against: string,
  domains: readonly SeededDomain[],
  ours: Clicks,
  bare: BareIssuer,
): Promise<Figure[]> {
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (const domain of domains) {
    times.ours.push(await timed(() => ours.goLive([domain])));
    times.bare.push(await timed(() => bare.issue(`bare-${domain.name}`)));
  }
  const at = (who: 'ours' | 'bare', q: number) => quantile(times[who], q);
  const described = (who: 'ours' | 'bare') => `p50 ${at(who, 0.5).toFixed(0)} ms, p99 ${at(who, 0.99).toFixed(0)} ms`;
  print(`click to live: ${described('ours')}; acme-client ${against}: ${described('bare')}`);
  const ratio = (q: number) => at('bare', q) / at('ours', q);
  return [
    { name: `certificates/${against}/ours-p50`, ratio: ratio(0.5), bar: 1 / MOST_OVERHEAD },
    { name: `certificates/${against}/ours-p99`, ratio: ratio(0.99), bar: 0 },
  ];
}

async function measureAtOnce(
  domains: readonly SeededDomain[],
  ours: Clicks,
  bare: BareIssuer,
  pids: Readonly<Record<string, number>>,
): Promise<Figure[]> {
  const readCpu = () => Object.entries(pids).map(([name, pid]) => ({ name, cpu: cpuSeconds(pid) }));
  const before = readCpu();
  const ourRate = (domains.length * 1_000) / (await timed(() => ours.goLive(domains)));
  const used = readCpu().map(({ name, cpu }, at) => `${name} ${(cpu - (before[at]?.cpu ?? 0)).toFixed(2)} s`);
  print(`at once: CPU for the ${domains.length}: ${used.join(', ')}`);
  const names = domains.map(({ name }) => `bare-${name}`);
  const issueOneAfterTheOther = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await bare.issue(name);
  };
  const bareMs = await timed(() => Promise.all(Array.from({ length: BARE_CONCURRENCY }, issueOneAfterTheOther)));
  const bareRate = (domains.length * 1_000) / bareMs;
  print(`${domains.length} at once: ours ${ourRate.toFixed(1)} live/s, bare ${bareRate.toFixed(1)} issued/s`);
  return [{ name: `certificates/${domains.length}-at-once/bare`, ratio: ourRate / bareRate, bar: 0 }];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function warn(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
