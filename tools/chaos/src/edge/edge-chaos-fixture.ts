import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startSiteFixture, startVisitor, type Site, type Visitor, type VisitorKind } from '@pets/bench/edge';
import { built, processTree, type Program } from '@pets/bench/engine';
import { freePort, waitUntil } from '@pets/dev-stack';
import { restartable, type Restartable } from '../processes.js';
import {
  failoverDatabase,
  mountSmallDisk,
  startBucket,
  type Bucket,
  type FailoverDatabase,
  type SmallDisk,
} from './stores.js';

/** Two edges with sites on them, an API that can be lost, and everything real but the CA and the DNS. */
export interface EdgeChaosFixture {
  readonly rootPem: string;
  readonly api: Restartable;
  readonly edges: readonly ChaosEdge[];
  readonly bucket: Bucket;
  readonly database: FailoverDatabase;
  publish(hosts: readonly string[]): Promise<readonly Site[]>;
  /** @returns 204 when no edge serves it any more, 202 when some have not said so */
  remove(site: Site): Promise<number>;
  pendingEdges(site: Site): Promise<number>;
  /** What went on that nobody asked for, in all processes. */
  unexpectedExits(): readonly string[];
  lastLines(): readonly string[];
  close(): Promise<void>;
}

export interface ChaosEdge {
  readonly httpsPort: number;
  /** The one that follows the feed; those that answer visitors end with it. */
  readonly process: Restartable;
  readonly disk: SmallDisk;
  /** The processes that answer visitors. */
  servingPids(): readonly number[];
}

const EDGES = 2;
const PROCESSES = 2;
/** Of the lines that a failed round prints. */
const LINE_LENGTH = 600;

export async function startEdgeChaosFixture(): Promise<EdgeChaosFixture> {
  const base = await startSiteFixture(EDGES);
  const { engine, pebble } = base.certificates;
  const bucketFolder = join(engine.folder, 'bucket');
  await mkdir(bucketFolder);
  const bucket = await startBucket(bucketFolder);
  const disks = await Promise.all(base.edges.map(({ dataFolder }) => mountSmallDisk(dataFolder)));
  const environment = base.certificates.environment();
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const readyAt = (port: number) => `http://127.0.0.1:${port}/readyz`;
  const api = restartable(
    program('pets-api', { ...environment.api, ...bucket.environment, PORT: String(apiPort) }),
    `${apiUrl}/readyz`,
  );
  const worker = restartable(
    program('domains-worker', { ...environment.worker, HEALTH_PORT: String(workerPort) }),
    readyAt(workerPort),
  );
  await Promise.all([api.untilReady(), worker.untilReady()]);
  const edges = base.edges.map(({ httpsPort, healthPort, environment: own }, index): ChaosEdge => {
    const env = {
      ...{ ...own, ...bucket.environment, API_URL: apiUrl },
      ...{ EDGE_PROCESSES: String(PROCESSES), HEALTH_PORT: String(healthPort) },
    };
    const disk = disks[index];
    if (disk === undefined) throw new Error('every edge has a disk');
    const process = restartable(disk.on(program('edge', env)), readyAt(healthPort));
    return { httpsPort, process, disk, servingPids: () => processTree(process.pid).filter(answersVisitors) };
  });
  await Promise.all(edges.map(({ process }) => process.untilReady()));
  const all = [...edges.map(({ process }) => process), worker, api];
  const database = failoverDatabase(engine);
  return {
    ...{ api, edges, bucket, database, rootPem: await pebble.fetchRoot() },
    publish: (hosts) => base.publish(apiUrl, hosts),
    remove: (site) => base.remove(apiUrl, site),
    pendingEdges: (site) => base.pendingEdges(apiUrl, site),
    unexpectedExits: () => all.flatMap(({ unexpectedExits }) => unexpectedExits),
    lastLines: () => all.flatMap(({ lines }) => lines.slice(-10).map((line) => line.slice(0, LINE_LENGTH))),
    close: async () => {
      await bucket.bringBack();
      for (const process of all) await process.stop();
      await Promise.all([bucket, database, ...disks].map((each) => each.stop()));
      await base.close();
    },
  };
}

function answersVisitors(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serving-main');
  } catch {
    return false; // it has ended
  }
}

function program(name: 'pets-api' | 'domains-worker' | 'edge', env: Readonly<Record<string, string>>): Program {
  return { name, command: process.execPath, args: [built(name)], env };
}

/** Visitors of every site at every edge, all the time, who look at each body. */
export interface Crowd {
  /** Bodies that were not the site's. */
  readonly wrong: readonly string[];
  /** Resolves when everybody at an edge has been served once more. @returns what nobody got in time */
  untilServed(edge: number): Promise<readonly string[]>;
  /** Bytes of a site that an edge has sent to all of its visitors. */
  bytesOf(site: Site, edge: number): number;
  join(site: Site): void;
  /** Nobody asks for these sites any more. */
  forget(sites: readonly Site[]): Promise<void>;
  leave(): Promise<void>;
}

const kinds: readonly VisitorKind[] = ['new-connection', 'keep-alive', 'http2'];
const PAUSE_MS = 100;
const SERVED_LIMIT_MS = 15_000;

interface Place {
  readonly site: Site;
  readonly edge: number;
  readonly kind: VisitorKind;
  readonly visitor: Visitor;
  bytes: number;
}

export function gatherCrowd(fixture: EdgeChaosFixture, sites: readonly Site[]): Crowd {
  const wrong: string[] = [];
  let places: Place[] = [];
  const isKept = new Set(sites);
  const join = (site: Site) => {
    for (const [edge, { httpsPort: port }] of fixture.edges.entries()) {
      for (const kind of kinds) {
        const onBytes = (bytes: number) => void (place.bytes += bytes);
        const onWrong = (what: string) => void wrong.push(`edge ${edge}, ${what}`);
        const visit = { kind, site, port, rootPem: fixture.rootPem, pauseMs: PAUSE_MS, onBytes, onWrong };
        const place: Place = { site, edge, kind, visitor: startVisitor(visit), bytes: 0 };
        places.push(place);
      }
    }
  };
  const forget = async (gone: readonly Site[]) => {
    const leaving = places.filter(({ site }) => gone.includes(site));
    places = places.filter((place) => !leaving.includes(place));
    await Promise.all(leaving.map(({ visitor }) => visitor.stop()));
  };
  sites.forEach(join);
  return {
    wrong,
    join,
    untilServed: async (edge) => {
      const here = places.filter((place) => place.edge === edge && isKept.has(place.site));
      const before = new Map(here.map((place) => [place, place.bytes]));
      const unserved = () => here.filter((place) => place.bytes === before.get(place));
      await waitUntil(() => unserved().length === 0, { timeoutMs: SERVED_LIMIT_MS }).catch(() => undefined); // reported below
      return unserved().map(({ site, kind }) => `edge ${edge} does not serve ${site.host} (${kind})`);
    },
    bytesOf: (site, edge) =>
      places.reduce((sum, place) => (place.site === site && place.edge === edge ? sum + place.bytes : sum), 0),
    forget,
    leave: () => forget(places.map(({ site }) => site)),
  };
}
