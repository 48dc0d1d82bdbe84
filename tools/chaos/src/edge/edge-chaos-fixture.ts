import { freePort } from '@pets/dev-stack';
import { built, type Program } from '@pets/bench/engine';
import { startSiteFixture, type EdgePlace, type Site, type SiteFixture } from '@pets/bench/edge';
import { restartable, type Restartable } from './restartable.js';

/** Two edges with sites on them, an API that can be lost, and everything real but the CA and the DNS. */
export interface EdgeChaosFixture {
  readonly base: SiteFixture;
  readonly rootPem: string;
  readonly api: Restartable;
  readonly edges: readonly ChaosEdge[];
  publish(hosts: readonly string[]): Promise<readonly Site[]>;
  /** @returns 204 when no edge serves it any more, 202 when some have not said so */
  remove(site: Site): Promise<number>;
  pendingEdges(site: Site): Promise<number>;
  /** What went on that nobody asked for, in all processes. */
  unexpectedExits(): readonly string[];
  lastLines(): readonly string[];
  close(): Promise<void>;
}

export interface ChaosEdge extends EdgePlace {
  readonly process: Restartable;
}

const EDGES = 2;

export async function startEdgeChaosFixture(): Promise<EdgeChaosFixture> {
  const base = await startSiteFixture(EDGES);
  const environment = base.certificates.environment();
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const readyAt = (port: number) => `http://127.0.0.1:${port}/readyz`;
  const api = restartable(program('pets-api', { ...environment.api, PORT: String(apiPort) }), `${apiUrl}/readyz`);
  const worker = restartable(
    program('domains-worker', { ...environment.worker, HEALTH_PORT: String(workerPort) }),
    readyAt(workerPort),
  );
  await Promise.all([api.untilReady(), worker.untilReady()]);
  const edges = base.edges.map((place) => {
    const env = { ...place.environment, API_URL: apiUrl, HEALTH_PORT: String(place.healthPort) };
    return { ...place, process: restartable(program('edge', env), readyAt(place.healthPort)) };
  });
  await Promise.all(edges.map(({ process }) => process.untilReady()));
  const all = [...edges.map(({ process }) => process), worker, api];
  return {
    ...{ base, api, edges, rootPem: await base.certificates.pebble.fetchRoot() },
    publish: (hosts) => base.publish(apiUrl, hosts),
    remove: (site) => base.remove(apiUrl, site),
    pendingEdges: (site) => base.pendingEdges(apiUrl, site),
    unexpectedExits: () => all.flatMap(({ unexpectedExits }) => unexpectedExits),
    lastLines: () => all.flatMap(({ lines }) => lines.slice(-10)),
    close: async () => {
      for (const process of all) await process.stop();
      await base.close();
    },
  };
}

function program(name: 'pets-api' | 'domains-worker' | 'edge', env: Readonly<Record<string, string>>): Program {
  return { name, command: process.execPath, args: [built(name)], env };
}
