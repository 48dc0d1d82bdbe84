import { setTimeout as sleep } from 'node:timers/promises';
import { pendingEdges, removeSite, type Site } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import type { Random, RecoveredMs } from '../../round.js';
import type { ChaosEdge, Crowd, EdgeChaosFixture } from '../edge-chaos-fixture.js';
import type { Applications } from '../origins/applications.js';

export interface Scene {
  readonly fixture: EdgeChaosFixture;
  readonly random: Random;
  readonly crowd: Crowd;
  readonly applications: Applications;
  /** A site that only this round has, for it to remove. */
  readonly spare: () => Promise<Site>;
}

export interface Outcome {
  /** Other faults that were seen. */
  readonly seen: readonly string[];
  /** Visitors who were not served any more, a line each. */
  readonly unserved: readonly string[];
  /** From the kill of a process, or from the repair, until all was well again; null where nothing was broken. */
  readonly recoveredMs: RecoveredMs | null;
}

/** Breaks something, repairs it, and reports the result. */
export type Fault = (scene: Scene) => Promise<Outcome>;

const BUSY_MS = 2_000;
/** How long something that an edge can do without is away. */
export const OUTAGE_MS = 8_000;
/** DELETE is answered after so long at the latest, whatever edges say. */
const REMOVAL_LIMIT_MS = 15_000;
/** For so long visitors ask in vain for what has been removed. */
const IN_VAIN_MS = 1_500;
const CATCH_UP_LIMIT_MS = 30_000;

export const someTime = (random: Random) => sleep(random.between(0, BUSY_MS));

export function edgeAt({ edges }: EdgeChaosFixture, index: number): ChaosEdge {
  const edge = edges[index];
  if (edge === undefined) throw new Error(`there is no edge ${index}`);
  return edge;
}

/** @returns when it was killed */
export async function killAndStart({ process }: ChaosEdge): Promise<number> {
  const since = Date.now();
  await process.kill();
  process.start();
  await process.untilReady();
  return since;
}

/** Waits until every visitor of an edge has been served again. */
export async function recover(crowd: Crowd, edge: number, since: number): Promise<Omit<Outcome, 'seen'>> {
  const unserved = await crowd.untilServed(edge);
  return { unserved, recoveredMs: unserved.length > 0 ? 'never' : Date.now() - since };
}

export async function bringBackApi({ stack: { api } }: EdgeChaosFixture): Promise<void> {
  api.start();
  await api.untilReady();
}

export async function servedByAll({ fixture, crowd }: Scene): Promise<readonly string[]> {
  return (await Promise.all(fixture.edges.map((_place, edge) => crowd.untilServed(edge)))).flat();
}

/** A removal that was answered. */
export interface Removal {
  readonly status: number;
  /** Faults of the answer itself. */
  readonly seen: readonly string[];
  /** Bytes that an edge has sent since the removal was complete, a line each. */
  servedSince(): readonly string[];
  /** Waits until no edge is waited for any more. Only bytes from then on count. @returns the milliseconds */
  untilComplete(): Promise<RecoveredMs>;
}

/** Removes a site. It is complete with a 204, otherwise after `untilComplete`. */
export async function remove({ fixture, crowd }: Scene, site: Site, allowed: readonly number[]): Promise<Removal> {
  const bytesEverywhere = () => fixture.edges.map((_place, edge) => crowd.bytesOf(site, edge));
  const began = Date.now();
  const status = await removeSite(fixture.stack, site);
  let before = status === 204 ? bytesEverywhere() : undefined;
  const tookMs = Date.now() - began;
  return {
    status,
    seen: [
      ...(allowed.includes(status) ? [] : [`DELETE was answered ${status}`]),
      ...(tookMs <= REMOVAL_LIMIT_MS ? [] : [`DELETE took ${tookMs} ms`]),
    ],
    servedSince: () =>
      before === undefined
        ? []
        : bytesEverywhere()
            .map((bytes, edge) => ({ edge, bytes: bytes - (before?.[edge] ?? 0) }))
            .filter(({ bytes }) => bytes > 0)
            .map(({ edge, bytes }) => `edge ${edge} sent ${bytes} bytes of a removed site`),
    untilComplete: async () => {
      const since = Date.now();
      const isComplete = async () => (await pendingEdges(fixture.stack, site)) === 0;
      return waitUntil(isComplete, { timeoutMs: CATCH_UP_LIMIT_MS }).then(
        () => {
          before ??= bytesEverywhere();
          return Date.now() - since;
        },
        (): RecoveredMs => 'never',
      );
    },
  };
}

/** Waits until a removal is complete, and lets visitors ask in vain. */
export async function finish(removal: Removal): Promise<Pick<Outcome, 'seen' | 'recoveredMs'>> {
  const recoveredMs = await removal.untilComplete();
  await sleep(IN_VAIN_MS);
  const isLate = recoveredMs === 'never' ? [`an edge is still waited for after ${CATCH_UP_LIMIT_MS} ms`] : [];
  return { seen: [...removal.seen, ...isLate, ...removal.servedSince()], recoveredMs };
}
