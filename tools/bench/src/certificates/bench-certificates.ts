import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as acme from 'acme-client';
import pg from 'pg';
import { startStack, type SeededDomain, type Stack } from '@pets/lab';
import { cpuSeconds } from '../engine/processes.js';
import { settings } from '../settings.js';
import { quantile, type Figure } from '../figure.js';
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
  const stack = await startStack({ ca: 'pebble', onLine: warn });
  const db = new pg.Client({ connectionString: stack.postgres.url });
  await db.connect();
  const { api } = stack.environments();
  const ourApi = await stack.startApi({ ...api, ACME_LIMITS: withoutLimits(api['ACME_DIRECTORY_URLS']) });
  const ourWorker = await stack.startWorker();
  const { process: ourEdge } = await stack.startEdge(ourApi);
  const bare = await openBareIssuer(stack.issuing, '127.0.0.2');
  try {
    await untilAccountIsReady(db);
    const domains = await seedUnchecked(db, stack, WARM_UP + ROUNDS + AT_ONCE);
    const ours = new Clicks(db, stack, ourApi.url);
    await measureInTurns('warming up', domains.splice(0, WARM_UP), ours, bare);
    return [
      ...(await measureInTurns('as-eager-as-ours', domains.splice(0, ROUNDS), ours, bare)),
      ...(await measureAtOnce(domains, ours, bare, {
        'pets-api': ourApi.pid,
        'domains-worker': ourWorker.pid,
        edge: ourEdge.pid,
        postgres: stack.postgres.pid,
      })),
    ];
  } finally {
    await bare.close();
    await db.end();
    await stack.close();
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

/**
 * The minimum that issues a certificate: the usual client, an existing account, and a responder for challenges at an
 * address of this machine that is not the edge's, since the CA connects to one port at all addresses.
 */
interface BareIssuer {
  /** A key, a request, an order, HTTP-01, and the chain. Nothing is checked, stored, served or verified. */
  issue(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The client waits five seconds between two polls by default; it is measured with the polling of ours. */
const polling: Pick<acme.ClientOptions, 'backoffAttempts' | 'backoffMin' | 'backoffMax'> = {
  backoffAttempts: 100,
  backoffMin: 20,
  backoffMax: 2_000,
};

async function openBareIssuer({ dnsOfCa, pebble, httpPort }: Stack['issuing'], address: string): Promise<BareIssuer> {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(pebble.caCertificatePath, 'utf8')]);
  const answers = new Map<string, string>();
  const responder = createServer((request, response) => response.end(answers.get(request.url ?? '')));
  responder.listen(httpPort, address);
  await once(responder, 'listening');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const client = new acme.Client({
    directoryUrl: pebble.directoryUrl,
    accountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ...polling,
  });
  await client.createAccount({ termsOfServiceAgreed: true });
  return {
    issue: async (name) => {
      dnsOfCa.put({ type: 'A', name, data: address });
      const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      });
      const [, csr] = await acme.crypto.createCsr({ commonName: name }, key);
      const order = await client.createOrder({ identifiers: [{ type: 'dns', value: name }] });
      for (const authorization of await client.getAuthorizations(order)) {
        const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
        if (challenge === undefined) throw new Error('the CA offers no http-01 challenge');
        const answer = await client.getChallengeKeyAuthorization(challenge);
        answers.set(`/.well-known/acme-challenge/${challenge.token}`, answer);
        await client.completeChallenge(challenge);
        await client.waitForValidStatus(challenge);
      }
      await client.getCertificate(await client.finalizeOrder(order, csr));
    },
    close: async () => {
      responder.close();
      responder.closeAllConnections();
      await once(responder, 'close').catch(() => undefined); // closed already
    },
  };
}
