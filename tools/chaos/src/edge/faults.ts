import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/dev-stack';
import { processTree } from '@pets/bench/engine';
import type { Site } from '@pets/bench/edge';
import type { Random } from '../random.js';
import type { RecoveredMs } from '../round.js';
import type { Crowd } from './crowd.js';
import { certificatePath, fileDamages, tableDamages, tablePath } from './damages.js';
import type { ChaosEdge, EdgeChaosFixture } from './edge-chaos-fixture.js';

interface Scene {
  readonly fixture: EdgeChaosFixture;
  readonly random: Random;
  readonly crowd: Crowd;
  /** A site that only this round has, for it to remove. */
  readonly spare: () => Promise<Site>;
}

interface Outcome {
  /** What should not have been, besides. */
  readonly seen: readonly string[];
  /** Visitors who were not served any more, a line each. */
  readonly unserved: readonly string[];
  /** From the kill of an edge, or from when a stopped one went on, until it did again what it is for. */
  readonly recoveredMs: RecoveredMs;
}

/** Breaks something, repairs it, and reports the result. */
type Fault = (scene: Scene) => Promise<Outcome>;

const BUSY_MS = 2_000;
const OUTAGE_MS = 8_000;
/** DELETE is answered after so long at the latest, whatever edges say. */
const REMOVAL_LIMIT_MS = 15_000;
/** For so long visitors ask in vain for what has been removed. */
const IN_VAIN_MS = 1_500;
const CATCH_UP_LIMIT_MS = 30_000;

const someTime = (random: Random) => sleep(random.between(0, BUSY_MS));

export const faults: Readonly<Record<string, Fault>> = {
  'kill-edge': async ({ fixture, random, crowd }) => {
    await someTime(random);
    const edge = random.between(0, fixture.edges.length);
    const since = await killAndStart(edgeAt(fixture, edge));
    return { seen: [], ...(await recover(crowd, edge, since)) };
  },
  'kill-edge-while-api-is-down': async ({ fixture, random, crowd }) => {
    await someTime(random);
    const edge = random.between(0, fixture.edges.length);
    await fixture.api.kill();
    const since = await killAndStart(edgeAt(fixture, edge));
    const recovery = await recover(crowd, edge, since);
    await bringBackApi(fixture);
    return { seen: [], ...recovery };
  },
  'api-down': async ({ fixture, random, crowd, spare }) => {
    const site = await spare();
    const status = await fixture.remove(site);
    await fixture.api.kill();
    const before = bytesEverywhere(fixture, crowd, site);
    const edge = random.between(0, fixture.edges.length);
    const since = await killAndStart(edgeAt(fixture, edge)); // it knows of the removal from its snapshot only
    const recovery = await recover(crowd, edge, since);
    await sleep(OUTAGE_MS);
    const unserved = await servedByAll(fixture, crowd);
    await bringBackApi(fixture);
    return {
      seen: [
        ...(status === 204 ? [] : [`DELETE was answered ${status}`]),
        ...servedAfter(fixture, crowd, site, before),
      ],
      unserved: [...new Set([...recovery.unserved, ...unserved])],
      recoveredMs: recovery.recoveredMs,
    };
  },
  'removal-while-an-edge-is-stopped': async ({ fixture, random, crowd, spare }) => {
    const site = await spare();
    const stopped = random.between(0, fixture.edges.length);
    const { process } = edgeAt(fixture, stopped);
    process.signal('SIGSTOP');
    const began = Date.now();
    const status = await fixture.remove(site).finally(() => process.signal('SIGCONT'));
    const since = Date.now();
    const tookMs = since - began;
    const recoveredMs = await waitUntil(() => hasCaughtUp(fixture, site), { timeoutMs: CATCH_UP_LIMIT_MS }).then(
      (): RecoveredMs => Date.now() - since,
      (): RecoveredMs => 'never',
    );
    const before = bytesEverywhere(fixture, crowd, site);
    await sleep(IN_VAIN_MS);
    const isLate = recoveredMs === 'never';
    return {
      seen: [
        ...(status === 202 ? [] : [`DELETE was answered ${status} while an edge was stopped`]),
        ...(tookMs <= REMOVAL_LIMIT_MS ? [] : [`DELETE took ${tookMs} ms`]),
        ...(isLate ? [`${CATCH_UP_LIMIT_MS} ms after it went on, the stopped edge is still waited for`] : []),
        ...servedAfter(fixture, crowd, site, before),
      ],
      unserved: await servedByAll(fixture, crowd),
      recoveredMs,
    };
  },
  'kill-one-process-of-an-edge': async ({ fixture, random, crowd, spare }) => {
    const site = await spare();
    const edge = random.between(0, fixture.edges.length);
    const { process: feedProcess } = edgeAt(fixture, edge);
    const [, ...serving] = processTree(feedProcess.pid);
    const removing = fixture.remove(site);
    const since = Date.now();
    process.kill(random.pick(serving), 'SIGKILL');
    const status = await removing;
    const before = bytesEverywhere(fixture, crowd, site);
    await feedProcess.untilReady();
    const recovery = await recover(crowd, edge, since);
    await sleep(IN_VAIN_MS);
    const refused = status === 204 ? [] : [`DELETE was answered ${status} while a process was replaced`];
    return { seen: [...refused, ...servedAfter(fixture, crowd, site, before)], ...recovery };
  },
  ...Object.fromEntries(
    Object.entries(tableDamages).map(([name, damage]) => [`table-${name}`, damaged('table', damage, tablePath)]),
  ),
  'certificate-truncated': damaged('certificate', fileDamages.truncated, certificatePath),
  'certificate-bit-flipped': damaged('certificate', fileDamages['bit-flipped'], certificatePath),
};

type Damage = (path: string, random: Random) => Promise<void>;
type Find = (dataFolder: string, random: Random) => Promise<string>;

/** A file is damaged while the edge is down: it has to say so, and to serve as if nothing had been. */
function damaged(what: string, damage: Damage, find: Find): Fault {
  return async ({ fixture, random, crowd }) => {
    const edge = random.between(0, fixture.edges.length);
    const { process, dataFolder } = edgeAt(fixture, edge);
    await process.kill();
    await damage(await find(dataFolder, random), random);
    const since = Date.now();
    await process.start();
    await process.untilReady();
    const recovery = await recover(crowd, edge, since);
    const isTold = process.lines.some((line) => /damaged|cannot be opened/.test(line));
    return { seen: isTold ? [] : [`the edge did not say that its ${what} is damaged`], ...recovery };
  };
}

/** @returns when it was killed */
async function killAndStart({ process }: ChaosEdge): Promise<number> {
  const since = Date.now();
  await process.kill();
  await process.start();
  await process.untilReady();
  return since;
}

/** Waits until every visitor of an edge has been served again. */
async function recover(crowd: Crowd, edge: number, since: number): Promise<Omit<Outcome, 'seen'>> {
  const unserved = await crowd.untilServed(edge);
  return { unserved, recoveredMs: unserved.length > 0 ? 'never' : Date.now() - since };
}

async function bringBackApi({ api }: EdgeChaosFixture): Promise<void> {
  await api.start();
  await api.untilReady();
}

async function servedByAll(fixture: EdgeChaosFixture, crowd: Crowd): Promise<readonly string[]> {
  return (await Promise.all(fixture.edges.map((_place, edge) => crowd.untilServed(edge)))).flat();
}

function bytesEverywhere(fixture: EdgeChaosFixture, crowd: Crowd, site: Site): readonly number[] {
  return fixture.edges.map((_place, edge) => crowd.bytesOf(site, edge));
}

function servedAfter(
  fixture: EdgeChaosFixture,
  crowd: Crowd,
  site: Site,
  before: readonly number[],
): readonly string[] {
  return bytesEverywhere(fixture, crowd, site)
    .map((bytes, edge) => ({ edge, bytes: bytes - (before[edge] ?? 0) }))
    .filter(({ bytes }) => bytes > 0)
    .map(({ edge, bytes }) => `edge ${edge} sent ${bytes} bytes of a removed site`);
}

async function hasCaughtUp(fixture: EdgeChaosFixture, site: Site): Promise<boolean> {
  return (await fixture.pendingEdges(site)) === 0;
}

function edgeAt({ edges }: EdgeChaosFixture, index: number): ChaosEdge {
  const edge = edges[index];
  if (edge === undefined) throw new Error(`there is no edge ${index}`);
  return edge;
}
