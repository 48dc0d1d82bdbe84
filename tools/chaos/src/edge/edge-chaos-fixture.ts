import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@pets/dev-stack';
import { built, processTree, type Program } from '@pets/bench/engine';
import { startSiteFixture, type Site } from '@pets/bench/edge';
import { startBucket, type Bucket } from './bucket.js';
import { failoverDatabase, type FailoverDatabase } from './database.js';
import { restartable, type Restartable } from './restartable.js';
import { mountSmallDisk, type SmallDisk } from './small-disk.js';

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
