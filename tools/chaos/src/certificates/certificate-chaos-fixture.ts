import { freePort } from '@pets/dev-stack';
import { built } from '@pets/bench/engine';
import { startCertificateFixture, type CertificateFixture } from '@pets/bench/certificates';
import pg from 'pg';
import { keepRunning, type KeptProcess } from '../processes.js';
import { startCaObserver, type CaObserver } from './ca-observer.js';

/** Everything that issues and serves certificates, with processes that come back and a CA that can be lost. */
export interface CertificateChaosFixture {
  readonly base: CertificateFixture;
  readonly observer: CaObserver;
  readonly api: KeptProcess;
  readonly worker: KeptProcess;
  readonly edge: KeptProcess;
  readonly redisPort: number;
  /** A connection to the database. */
  readonly db: pg.Client;
  /** Ends the CA at once and starts one that knows nothing: no account, no order, another root. */
  restartCa: () => Promise<void>;
  close(): Promise<void>;
}

export async function startCertificateChaosFixture(): Promise<CertificateChaosFixture> {
  const base = await startCertificateFixture();
  const { engine } = base;
  if (engine.redisPort === null) throw new Error('this fixture needs a Redis');
  const observer = await startCaObserver(base.pebble);
  const processes = await startProcesses(base, observer);
  const db = new pg.Client({ connectionString: engine.postgres.url });
  await db.connect();
  return {
    ...{ base, observer, ...processes, redisPort: engine.redisPort, db },
    restartCa: () => base.pebble.restart(),
    close: async () => {
      await Promise.all([processes.edge.stop(), processes.api.stop(), processes.worker.stop()]);
      await db.end();
      await observer.close();
      await base.close();
    },
  };
}

async function startProcesses(base: CertificateFixture, observer: CaObserver) {
  const environment = base.environment({ directoryUrl: observer.directoryUrl });
  const [apiPort, workerPort, edgePort] = [await freePort(), await freePort(), await freePort()];
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const keep = (name: 'pets-api' | 'domains-worker' | 'edge', env: Record<string, string>, readyUrl: string) =>
    keepRunning({ name, command: process.execPath, args: [built(name)], env }, readyUrl);
  const healthOf = (port: number) => `http://127.0.0.1:${port}/readyz`;
  const api = keep('pets-api', { ...environment.api, PORT: String(apiPort) }, `${apiUrl}/readyz`);
  const worker = keep(
    'domains-worker',
    { ...environment.worker, HEALTH_PORT: String(workerPort) },
    healthOf(workerPort),
  );
  await Promise.all([api.untilReady(), worker.untilReady()]);
  const edge = keep(
    'edge',
    { ...environment.edge, API_URL: apiUrl, HEALTH_PORT: String(edgePort) },
    healthOf(edgePort),
  );
  await edge.untilReady();
  return { api, worker, edge };
}
