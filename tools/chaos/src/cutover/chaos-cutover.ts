import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing/processes';
import type { ChaosOptions, Round } from '../round.js';
import { type CutoverFixture, startCutoverFixture, startOtherServer } from './cutover-fixture.js';
import { countExcess, describeCertificates, listProblems, printSwitch } from './outcome.js';
import { EDGE_ADDRESS, OTHER_ADDRESS, startVisitors, type Visitors } from './visits.js';

/**
 * A site that is live on another server moves here, and away again. Visitors come all the time, each with a new TLS
 * handshake, and resolvers that honour TTLs lead them. Every handshake must succeed, with the certificate of the server
 * that the resolver named, and the CA must have got exactly one order.
 */

/** In order: a site that leaves must have come. */
const moves: Readonly<Record<string, (fixture: CutoverFixture, move: Move) => Promise<Omit<Round, 'name'>>>> = {
  'move-in': moveIn,
  'move-out': moveOut,
};
/** A round takes minutes. */
const LONG_ONES_SHARE = 5;

export async function* chaosCutover({ rounds, only, cutoverSeconds }: ChaosOptions): AsyncGenerator<Round> {
  const names = Object.keys(moves);
  if (only !== undefined && !names.includes(only)) throw new Error(`there is no fault ${only}: ${names.join(', ')}`);
  const fixture = await startCutoverFixture();
  try {
    for (let round = 1; round <= Math.ceil(rounds / LONG_ONES_SHARE); round++) {
      const folder = join(fixture.folder, `other-${round}`);
      const move = await startMove(fixture, { name: `docs.moving-${round}.com`, folder, seconds: cutoverSeconds });
      try {
        for (const [name, play] of Object.entries(moves)) {
          const played = { name, ...(await play(fixture, move)) };
          if (played.seen.length > 0) process.stderr.write(`  ${fixture.lastLines().join('\n  ')}\n`);
          if (only === undefined || only === name) yield played;
        }
      } finally {
        await move.stop();
      }
    }
  } finally {
    await fixture.close();
  }
}

/** Fields that are read of a domain of the API. */
interface MovingDomain {
  readonly state: string;
  /** Whether checks have found that a live domain points elsewhere. */
  readonly misconfigured: boolean;
  readonly dns: { readonly checkedAt: string | null };
  readonly records: readonly { readonly purpose: string; readonly value: string }[];
  readonly readiness: { readonly state: string } | null;
  readonly certificate: { readonly state: string; readonly method: string | null } | null;
}

/** One site with its visitors, from before it comes until after it has left. */
interface Move {
  readonly name: string;
  readonly seconds: number;
  readonly ttlSeconds: number;
  readonly visitors: Visitors;
  getDomain(): Promise<MovingDomain>;
  /** Sends a request for the domain, which must be answered with this status. */
  call(method: 'POST' | 'DELETE', path: '' | '/verify', status: number): Promise<void>;
  /** Replaces the record of the name, as a DNS provider does: no question is answered with neither. @returns when */
  switchTo(target: string): Promise<number>;
  stop(): Promise<void>;
}

/** Target of the name while the site is elsewhere. */
const OTHER_TARGET = 'sites.other-host.com';
const MAX_TTL_SECONDS = 20;

interface MoveOptions {
  readonly name: string;
  readonly folder: string;
  /** How long visitors come after each switch. */
  readonly seconds: number;
}

/** The site is live on the other server, and visited. */
async function startMove(fixture: CutoverFixture, { name, folder, seconds }: MoveOptions): Promise<Move> {
  const { client, records, projectId, httpsPort: port, siteBody } = fixture;
  const ttlSeconds = Math.min(MAX_TTL_SECONDS, Math.floor(seconds / 3));
  const bodies = { elsewhere: `${name} on the other server`, here: siteBody };
  const other = await startOtherServer({ folder, names: [name], address: OTHER_ADDRESS, port, body: bodies.elsewhere });
  await records.put({ name: OTHER_TARGET, type: 'A', data: OTHER_ADDRESS });
  const switchTo = async (target: string) => {
    await records.put({ name, type: 'CNAME', data: `${target}.`, ttl: ttlSeconds });
    return Date.now();
  };
  await switchTo(OTHER_TARGET);
  const visitors = await startVisitors(fixture, { name, ttlSeconds, other, bodies });
  const path = `/v1/projects/${projectId}/domains/${name}`;
  return {
    ...{ name, seconds, ttlSeconds, visitors, switchTo },
    getDomain: async () => (await client.api<MovingDomain>('GET', path)).body,
    call: async (method, suffix, expected) => {
      const { status, text } = await client.api(method, path + suffix);
      if (status !== expected) throw new Error(`${method} ${path}${suffix} was answered ${status} ${text}`);
    },
    stop: async () => {
      await visitors.stop();
      await other.close();
    },
  };
}

const READY_LIMIT_MS = 120_000;

/** Prepares the name, waits until it is ready, and switches its record to us. */
async function moveIn(fixture: CutoverFixture, move: Move): Promise<Omit<Round, 'name'>> {
  const { name, visitors } = move;
  const beganAtMs = Date.now();
  const target = await prepare(fixture, move);
  const ready = await move.getDomain();
  await sleep(move.ttlSeconds * 1_000); // every cache is renewed while the name is ready

  const switchedAtMs = await move.switchTo(target);
  const late = visitors.visitLate(OTHER_ADDRESS);
  const liveAfterMs = waitUntil(async () => (await move.getDomain()).state === 'live', {
    timeoutMs: move.seconds * 1_000,
    intervalMs: 200,
  }).then(
    () => Date.now() - switchedAtMs,
    () => null, // reported below
  );
  await sleep(move.seconds * 1_000);
  const visits = await visitors.since(beganAtMs);
  const lateVisits = await late.stop();

  const live = await liveAfterMs;
  const problems = [
    ...listProblems(visits, 'went wrong'),
    ...listProblems(lateVisits, 'with the old address went wrong'),
  ];
  const seen = [
    ...problems.map(({ text }) => text),
    ...(ready.state === 'awaiting_dns' ? [] : [`before the switch the domain was ${ready.state}`]),
    ...(live === null ? [`${name} did not become live`] : []),
    ...describeCertificates(fixture, name, visits),
  ];
  const { remark, wrong } = printSwitch(visits, { switchedAtMs, to: 'here', ttlSeconds: move.ttlSeconds });
  return {
    seen: [...seen, ...wrong],
    lost: problems.reduce((sum, { count }) => sum + count, 0),
    duplicated: countExcess(fixture, name),
    recoveredMs: null,
    remark: `${remark}; live after ${((live ?? Number.NaN) / 1_000).toFixed(1)} s, ${fixture.observer.orders(name)} order`,
  };
}

/** Adds the domain, delegates its challenges, and waits until it is ready. @returns where the record has to point */
async function prepare({ client, projectId, records }: CutoverFixture, move: Move): Promise<string> {
  const { name } = move;
  const { status, text } = await client.api('POST', `/v1/projects/${projectId}/domains`, { name });
  if (status !== 201) throw new Error(`${name} was not added: ${status} ${text}`);
  const { records: required } = await move.getDomain();
  const valueOf = (wanted: string) => {
    const record = required.find(({ purpose }) => purpose === wanted);
    if (record === undefined) throw new Error(`${name} has no record for ${wanted}`);
    return record.value;
  };
  await records.put({ name: `_acme-challenge.${name}`, type: 'CNAME', data: `${valueOf('delegation')}.` });
  await move.call('POST', '/verify', 202);
  const isReady = async () => (await move.getDomain()).readiness?.state === 'ready';
  await waitUntil(isReady, { timeoutMs: READY_LIMIT_MS, intervalMs: 200, message: `${name} to be ready` });
  return valueOf('routing');
}

const CHECK_LIMIT_MS = 30_000;
const MOST_CLICKS = 6;
/** How long visitors come after the removal. */
const AFTER_REMOVAL_MS = 3_000;

/** Switches the record back, lets checks find that, and removes the domain a while later. */
async function moveOut(fixture: CutoverFixture, move: Move): Promise<Omit<Round, 'name'>> {
  const { name, visitors } = move;
  const switchedAtMs = await move.switchTo(OTHER_TARGET);
  const beganAtMs = switchedAtMs - move.ttlSeconds * 1_000;
  const late = visitors.visitLate(EDGE_ADDRESS);
  await untilMisconfigured(move);
  await sleep(move.seconds * 1_000 - (Date.now() - switchedAtMs));
  const left = await move.getDomain();

  const lateVisits = [...(await late.stop())];
  await move.call('DELETE', '', 204);
  const afterRemoval = visitors.visitLate(EDGE_ADDRESS);
  await sleep(AFTER_REMOVAL_MS);
  const served = (await afterRemoval.stop()).filter(({ outcome }) => outcome !== 'failed');
  const visits = await visitors.since(beganAtMs);

  const problems = [
    ...listProblems(visits, 'went wrong'),
    ...listProblems(lateVisits, 'with the old address went wrong'),
  ];
  const { remark, wrong } = printSwitch(visits, { switchedAtMs, to: 'elsewhere', ttlSeconds: move.ttlSeconds });
  return {
    seen: [
      ...problems.map(({ text }) => text),
      ...wrong,
      ...(served.length === 0 ? [] : [`${served.length} visits after the removal were answered`]),
      ...(left.certificate?.state === 'issued' ? [] : [`the certificate was ${left.certificate?.state ?? 'missing'}`]),
      ...describeCertificates(fixture, name, lateVisits),
    ],
    lost: problems.reduce((sum, { count }) => sum + count, 0),
    duplicated: countExcess(fixture, name),
    recoveredMs: null,
    remark: `${remark}; ${lateVisits.length} late visitors were served until the removal, none after it`,
  };
}

/** Asks for checks, as an owner does. The name has left when several have found it elsewhere. */
async function untilMisconfigured(move: Move): Promise<void> {
  for (let clicks = 0; clicks < MOST_CLICKS; clicks++) {
    const { misconfigured, dns } = await move.getDomain();
    if (misconfigured) return;
    await move.call('POST', '/verify', 202);
    const isChecked = async () => (await move.getDomain()).dns.checkedAt !== dns.checkedAt;
    await waitUntil(isChecked, { timeoutMs: CHECK_LIMIT_MS, intervalMs: 200, message: `a check of ${move.name}` });
  }
  throw new Error(`${move.name} is not misconfigured after ${MOST_CLICKS} checks`);
}
