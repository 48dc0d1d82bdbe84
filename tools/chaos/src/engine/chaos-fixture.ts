import { freePort, startPostgres, startTcpProxy, type RunningChild, type TcpProxy } from '@pets/dev-stack';
import { built, startRedis, startEngineFixture, type EngineFixture } from '@pets/bench/engine';
import pg from 'pg';
import { keepRunning, type KeptProcess } from '../processes.js';

/** The engine with everything that can be broken: processes that come back, stores that are restarted, wires to cut. */
export interface ChaosFixture {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly organizationId: string;
  readonly api: KeptProcess;
  readonly worker: KeptProcess;
  /** What the processes reach their stores through. */
  readonly wires: { readonly redis: readonly TcpProxy[]; readonly postgres: readonly TcpProxy[] };
  /** Where no CA listens. */
  readonly caPort: number;
  /** Of Redis itself, past the wires. */
  readonly redisPort: number;
  /** A connection of its own to the database, past the wires. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  connect(): Promise<pg.Client>;
  restartRedis: () => Promise<void>;
  restartPostgres: () => Promise<void>;
  close(): Promise<void>;
}

export async function startChaosFixture(): Promise<ChaosFixture> {
  const fixture = await startEngineFixture('redis');
  const { redisPort } = fixture;
  if (redisPort === null || fixture.redis === null) throw new Error('this fixture needs a Redis');
  const redisOfApi = await startTcpProxy({ port: redisPort });
  const redisOfWorker = await startTcpProxy({ port: redisPort });
  const postgresOfApi = await startTcpProxy({ port: fixture.postgresPort });
  const throughProxy = new URL(fixture.postgres.url);
  throughProxy.port = String(postgresOfApi.port);
  const { api, worker, apiUrl } = await startProcesses(fixture, {
    databaseUrl: throughProxy.href,
    redisOfApi: `redis://127.0.0.1:${redisOfApi.port}`,
    redisOfWorker: `redis://127.0.0.1:${redisOfWorker.port}`,
  });
  const stores = restartableStores(fixture, fixture.redis, redisPort);
  const connect = async () => {
    const client = new pg.Client({ connectionString: fixture.postgres.url, query_timeout: 10_000 });
    client.on('error', () => undefined); // its next query fails
    await client.connect();
    return client;
  };
  return {
    ...{ apiUrl, apiKey: fixture.apiKey, organizationId: fixture.organizationId, caPort: fixture.caPort },
    ...{ api, worker, redisPort, connect },
    wires: { redis: [redisOfApi, redisOfWorker], postgres: [postgresOfApi] },
    query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      const client = await connect();
      try {
        return (await client.query<Row>(text, [...values])).rows;
      } finally {
        await client.end();
      }
    },
    restartRedis: stores.restartRedis,
    restartPostgres: stores.restartPostgres,
    close: async () => {
      await Promise.all([api.stop(), worker.stop()]);
      await Promise.all([redisOfApi, redisOfWorker, postgresOfApi].map((proxy) => proxy.close()));
      await stores.stop();
      await fixture.close();
    },
  };
}

async function startProcesses(
  fixture: EngineFixture,
  at: { readonly databaseUrl: string; readonly redisOfApi: string; readonly redisOfWorker: string },
) {
  const [port, healthPort] = [await freePort(), await freePort()];
  const { api: apiEnv } = fixture.environment({ databaseUrl: at.databaseUrl, redisUrl: at.redisOfApi });
  const { worker: workerEnv } = fixture.environment({ redisUrl: at.redisOfWorker });
  const node = { command: process.execPath };
  const apiUrl = `http://127.0.0.1:${port}`;
  const api = keepRunning(
    { ...node, name: 'pets-api', args: [built('pets-api')], env: { ...apiEnv, PORT: String(port) } },
    `${apiUrl}/readyz`,
  );
  const worker = keepRunning(
    {
      ...{ ...node, name: 'domains-worker', args: [built('domains-worker')] },
      env: { ...workerEnv, HEALTH_PORT: String(healthPort) },
    },
    `http://127.0.0.1:${healthPort}/readyz`,
  );
  await Promise.all([api.untilReady(), worker.untilReady()]);
  return { api, worker, apiUrl };
}

/** Stores that end at once, with nothing said to anybody, and come back where they were. */
function restartableStores(fixture: EngineFixture, firstRedis: RunningChild, redisPort: number) {
  let redis = firstRedis;
  let postgres: Pick<EngineFixture['postgres'], 'pid' | 'exited' | 'stop'> = fixture.postgres;
  return {
    restartRedis: async () => {
      process.kill(redis.pid, 'SIGKILL');
      await redis.exited;
      redis = await startRedis(redisPort);
    },
    restartPostgres: async () => {
      process.kill(postgres.pid, 'SIGQUIT'); // the immediate shutdown: no goodbye, and recovery at the next start
      await postgres.exited;
      postgres = await startPostgres({ dataDir: fixture.postgresFolder, port: fixture.postgresPort });
    },
    stop: async () => {
      await Promise.all([redis.stop(), postgres.stop()]);
    },
  };
}
