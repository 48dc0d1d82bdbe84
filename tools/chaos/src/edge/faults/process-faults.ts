import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing/processes';
import type { Random } from '../../round.js';
import { servingPids, type ChaosEdge } from '../edge-chaos-fixture.js';
import {
  bringBackApi,
  edgeAt,
  finish,
  killAndStart,
  OUTAGE_MS,
  recover,
  remove,
  servedByAll,
  someTime,
  type Fault,
  type Outcome,
  type Removal,
  type Scene,
} from './scene.js';

/** A process ends or stops at some time while a removal is under way. */
const DURING_REMOVAL_MS = 200;

/** A stopped process is killed after 10 s, and another starts. */
const REPLACED_LIMIT_MS = 30_000;

export const processFaults: Readonly<Record<string, Fault>> = {
  'kill-edge': async ({ fixture, random, crowd }) => {
    await someTime(random);
    const edge = random.between(0, fixture.edges.length);
    const since = await killAndStart(edgeAt(fixture, edge));
    return { seen: [], ...(await recover(crowd, edge, since)) };
  },
  'kill-edge-while-api-is-down': async ({ fixture, random, crowd }) => {
    await someTime(random);
    const edge = random.between(0, fixture.edges.length);
    await fixture.stack.api.kill();
    const since = await killAndStart(edgeAt(fixture, edge));
    const recovery = await recover(crowd, edge, since);
    await bringBackApi(fixture);
    return { seen: [], ...recovery };
  },
  'api-down': async (scene) => {
    const { fixture, random, crowd } = scene;
    const removal = await remove(scene, await scene.spare(), [204]);
    await fixture.stack.api.kill();
    const edge = random.between(0, fixture.edges.length);
    const since = await killAndStart(edgeAt(fixture, edge)); // it knows of the removal from its store only
    const recovery = await recover(crowd, edge, since);
    await sleep(OUTAGE_MS);
    const unserved = [...new Set([...recovery.unserved, ...(await servedByAll(scene))])];
    await bringBackApi(fixture);
    return { seen: [...removal.seen, ...removal.servedSince()], unserved, recoveredMs: recovery.recoveredMs };
  },
  'removal-while-an-edge-is-stopped': async (scene) => {
    const site = await scene.spare();
    const { process } = edgeAt(scene.fixture, scene.random.between(0, scene.fixture.edges.length));
    process.signal('SIGSTOP');
    const removal = await remove(scene, site, [202]).finally(() => process.signal('SIGCONT'));
    return { ...(await finish(removal)), unserved: await servedByAll(scene) };
  },
  'kill-serving-process': withServingProcess('SIGKILL'),
  'stop-serving-process': withServingProcess('SIGSTOP'),
};

/** One of the processes that answer visitors ends, or stops for good, while a site is removed. */
function withServingProcess(signal: 'SIGKILL' | 'SIGSTOP'): Fault {
  return async (scene) => {
    const { fixture, random, crowd } = scene;
    const site = await scene.spare();
    const index = random.between(0, fixture.edges.length);
    const edge = edgeAt(fixture, index);
    const victim = random.pick(servingPids(edge));
    const [removal, since] = await Promise.all([
      sleep(random.between(0, DURING_REMOVAL_MS)).then(() =>
        remove(scene, site, signal === 'SIGKILL' ? [204] : [204, 202]),
      ),
      signalAtSomeTime(victim, signal, random),
    ]);
    const { seen } = await finish(removal);
    const isReplaced = await waitUntil(() => hasReplaced(edge, victim), { timeoutMs: REPLACED_LIMIT_MS }).catch(
      () => false,
    );
    await edge.process.untilReady();
    const recovery = await recover(crowd, index, since);
    return { seen: [...seen, ...(isReplaced ? [] : ['the process was not replaced'])], ...recovery };
  };
}

async function signalAtSomeTime(pid: number, signal: NodeJS.Signals, random: Random): Promise<number> {
  await sleep(random.between(0, DURING_REMOVAL_MS));
  process.kill(pid, signal);
  return Date.now();
}

function hasReplaced(edge: ChaosEdge, pid: number): boolean {
  const pids = servingPids(edge);
  return pids.length > 1 && !pids.includes(pid);
}

const DATABASE_LIMIT_MS = 30_000;
const ACCEPTED = [200, 202, 204];

/**
 * The database fails over to a standby that lacks the last versions of the feed. The edges have applied them, and the new
 * primary uses their numbers again: for the removal of a site that the standby has.
 */
export async function failover(scene: Scene): Promise<Outcome> {
  const { fixture, crowd } = scene;
  const site = await scene.spare();
  await fixture.stack.postgres.keepStandby();
  await fixture.stack.api.untilReady();
  const lost = await waitUntil(() => scene.spare(), { timeoutMs: DATABASE_LIMIT_MS, message: 'the database' });
  await fixture.stack.postgres.failOver();
  const since = Date.now();
  const removal = await waitUntil(() => accepted(scene, site), { timeoutMs: DATABASE_LIMIT_MS });
  const { seen, recoveredMs } = await finish(removal);
  const before = fixture.edges.map((_place, edge) => crowd.bytesOf(lost, edge));
  const unserved = await servedByAll(scene);
  const servedLost = fixture.edges.flatMap((_place, edge) =>
    crowd.bytesOf(lost, edge) > (before[edge] ?? 0) ? [`edge ${edge} serves a site that the database lost`] : [],
  );
  return {
    seen: [...seen, ...servedLost, ...removal.servedSince()],
    unserved,
    recoveredMs: recoveredMs === 'never' ? recoveredMs : Date.now() - since,
  };
}

/** The API may not have connected to the new primary yet. */
async function accepted(scene: Scene, site: Parameters<typeof remove>[1]): Promise<Removal | undefined> {
  const removal = await remove(scene, site, ACCEPTED);
  return removal.seen.length === 0 ? removal : undefined;
}
