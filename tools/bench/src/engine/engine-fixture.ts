import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort, startPostgres, type RunningChild, type RunningPostgres } from '@pets/dev-stack';
import { settings } from '../settings.js';
import { built, run, runApi, startRedis, untilReady } from './programs.js';

/** Where BullMQ keeps its queues. */
export type Store = 'redis' | 'postgres';

export const PLATFORM_DOMAIN = 'pets.localhost';

/** The database, the queues and the DNS of an engine that is tried: real ones, on ports of their own. */
export interface EngineFixture {
  readonly store: Store;
  readonly postgres: RunningPostgres;
  readonly postgresPort: number;
  /** The data folder of PostgreSQL, for starting it again. */
  readonly postgresFolder: string;
  readonly redisPort: number | null;
  readonly redis: RunningChild | null;
  readonly dns: RunningChild;
  readonly dnsPort: number;
  /** Nothing listens there, so issuance stays postponed and nothing but verification is seen. */
  readonly caPort: number;
  readonly organizationId: string;
  readonly apiKey: string;
  readonly folder: string;
  /** The environment of pets-api and of domains-worker, for stores at the given addresses. */
  environment(addresses?: Partial<Addresses>): Environments;
  close(): Promise<void>;
}

export interface Addresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

interface Environments {
  readonly api: Readonly<Record<string, string>>;
  readonly worker: Readonly<Record<string, string>>;
}

/** @param postgresSettings of the server, such as `shared_preload_libraries` */
export async function startEngineFixture(
  store: Store,
  postgresSettings: Readonly<Record<string, string>> = {},
): Promise<EngineFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-engine-'));
  const [postgresPort, dnsPort] = [await freePort(), await freePort()];
  const postgresFolder = join(folder, 'postgres');
  const postgres = await startPostgres({ dataDir: postgresFolder, port: postgresPort, settings: postgresSettings });
  const redisPort = store === 'redis' ? await freePort() : null;
  const redis = redisPort === null ? null : await startRedis(redisPort);
  const dns = run({
    name: 'dns',
    command: process.execPath,
    args: [fileURLToPath(new URL('known-dns-main.js', import.meta.url)), String(dnsPort), PLATFORM_DOMAIN],
  });
  const here: Addresses = { databaseUrl: postgres.url, redisUrl: `redis://127.0.0.1:${redisPort ?? 0}` };
  const caPort = await freePort();
  const environment = environments(store, { folder, dnsPort, caPort });
  const { api } = environment(here);
  runApi('migrate.js', [], api);
  const { organizationId, apiKey } = createOrganization(api);
  return {
    ...{
      store,
      postgres,
      postgresPort,
      postgresFolder,
      redisPort,
      redis,
      dns,
      dnsPort,
      caPort,
      organizationId,
      apiKey,
      folder,
    },
    environment: (addresses = {}) => environment({ ...here, ...addresses }),
    close: async () => {
      await Promise.all([dns.stop(), redis?.stop()]);
      await postgres.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts pets-api and waits until it is ready. @returns the process and where it listens */
export async function startApi(env: Readonly<Record<string, string>>, onLine?: (line: string) => void, port?: number) {
  const own = port ?? (await freePort());
  const args = [...profiling('api'), built('pets-api')];
  const child = run({ name: 'pets-api', command: process.execPath, args, env: { ...env, PORT: String(own) }, onLine });
  const url = `http://127.0.0.1:${own}`;
  await untilReady('pets-api', `${url}/readyz`);
  return { child, url, port: own };
}

export async function startWorker(
  env: Readonly<Record<string, string>>,
  onLine?: (line: string) => void,
  port?: number,
) {
  const own = port ?? (await freePort());
  const args = [...profiling('worker'), built('domains-worker')];
  const child = run({
    ...{ name: 'domains-worker', command: process.execPath, args, onLine },
    env: { ...env, HEALTH_PORT: String(own) },
  });
  await untilReady('domains-worker', `http://127.0.0.1:${own}/readyz`);
  return { child, port: own };
}

export async function startEdge(
  env: Readonly<Record<string, string>>,
  onLine?: (line: string) => void,
): Promise<RunningChild> {
  const own = await freePort();
  const child = run({
    ...{ name: 'edge', command: process.execPath, args: [...profiling('edge'), built('edge')], onLine },
    env: { ...env, HEALTH_PORT: String(own) },
  });
  await untilReady('edge', `http://127.0.0.1:${own}/readyz`);
  return child;
}

/** `PROFILE=folder` leaves a CPU profile of each process there. */
function profiling(name: string): string[] {
  const folder = settings.PROFILE;
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
}

function environments(
  store: Store,
  { folder, dnsPort, caPort }: Pick<EngineFixture, 'folder' | 'dnsPort' | 'caPort'>,
): (addresses: Addresses) => Environments {
  const common = {
    ...{ NODE_ENV: 'production', ACME_DIRECTORY_URLS: `http://127.0.0.1:${caPort}/directory`, LOG_LEVEL: 'warn' },
    QUEUE_KEYS_JOBS: `j1:${randomBytes(32).toString('base64')}`,
    QUEUE_KEYS_EVENTS: `e1:${randomBytes(32).toString('base64')}`,
  };
  const secrets = {
    APP_SECRET: randomBytes(32).toString('base64url'),
    CERTIFICATE_KEKS: `engine:${randomBytes(32).toString('base64')}`,
    EDGE_TOKEN: randomBytes(16).toString('hex'),
  };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const accountKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return ({ databaseUrl, redisUrl }) => ({
    api: {
      ...common,
      ...secrets,
      ENVIRONMENT: 'development',
      HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      ...(store === 'redis' && { REDIS_URL: redisUrl }),
      PLATFORM_DOMAIN,
      STORAGE_URL: pathToFileURL(join(folder, 'deployments')).href,
      RATE_LIMIT_PER_MINUTE: '0',
    },
    worker: {
      ...common,
      ...(store === 'redis' ? { REDIS_URL: redisUrl } : { DATABASE_URL: databaseUrl }),
      DNS_RESOLVERS: `127.0.0.1:${dnsPort}`,
      ACME_ACCOUNT_KEY: accountKey,
    },
  });
}

export function createOrganization(
  env: Readonly<Record<string, string>>,
  plan: 'free' | 'pro' | 'enterprise' = 'pro',
): { organizationId: string; apiKey: string } {
  const args = ['organization', 'create', '--name', 'Engine', '--plan', plan, '--key-name', 'engine'];
  return JSON.parse(runApi('admin.js', args, env)) as { organizationId: string; apiKey: string }; // what admin.js prints
}
