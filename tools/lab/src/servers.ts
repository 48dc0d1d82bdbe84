import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  freePort,
  startTcpProxy,
  startTestRedis,
  type RunningChild,
  type TcpProxy,
  type TestRedis,
} from '@pets/testing/processes';
import { startDevelopmentServers, startIssuing, type DevelopmentServers, type Issuing } from './issuing.js';
import { PLATFORM_DOMAIN, type Addresses, type Environment } from './environments.js';
import { run } from './programs.js';
import { startBucket, type Bucket } from './stores/bucket.js';
import { startStackPostgres, type StackPostgres } from './stores/postgres.js';

/** Servers that a stack has besides PostgreSQL. */
export interface ServerOptions {
  readonly stores?: {
    /** The store of BullMQ's queues; Redis by default. */
    readonly queues?: 'redis' | 'postgres';
    /** Settings of the PostgreSQL server, such as `shared_preload_libraries`; `volatile`: it may lose what it has, as in tests. */
    readonly postgres?: Environment | 'volatile';
    /** The storage of deployed files; a folder by default. */
    readonly files?: 'folder' | 'bucket';
  };
  /** Pebble, or the CA of `npm start`; by default nothing listens at the CA's address, so issuance stays postponed. */
  readonly ca?: 'pebble' | 'development';
  /** The port where the CA of `npm start` looks for answers to its challenges. */
  readonly challengePort?: number;
  /** A server that knows the truth of a name from the name; by default where there is no CA, which brings servers with records. */
  readonly hasKnownNames?: boolean;
  /** Proxies between the processes and their stores, to cut these off, and between the worker and the CA, to count. */
  readonly proxies?: readonly ('stores' | 'ca')[];
}

interface KnownNames {
  readonly child: RunningChild;
  readonly address: string;
}

/** Servers that the processes of a stack work with. */
export interface Servers {
  readonly postgres: StackPostgres;
  readonly redis: TestRedis | null;
  readonly bucket: Bucket | null;
  /** Pebble and its DNS servers. */
  readonly issuing: Issuing | null;
  readonly development: DevelopmentServers | null;
  /** Settings of the worker for the challenges of the CA. */
  readonly challenges: Environment;
  readonly knownNames: KnownNames | null;
  readonly caPort: number;
  /** Proxies that processes reach their stores through. */
  readonly wires: { readonly redis: readonly TcpProxy[]; readonly postgres: readonly TcpProxy[] };
  /** `STORAGE_URL`, and what the storage asks for. */
  readonly storage: Environment;
  /** Addresses of all servers: with the CA and the records of the stack, or without and with known names. */
  addresses(withCa: boolean): Addresses;
  close(): Promise<void>;
}

export async function startServers(
  folder: string,
  { stores = {}, ca, challengePort = 0, hasKnownNames = ca === undefined, proxies = [] }: ServerOptions,
): Promise<Servers> {
  const postgres = await startStackPostgres(folder, stores.postgres ?? {});
  const redis = stores.queues === 'postgres' ? null : await startRedis();
  const bucket = stores.files === 'bucket' ? await startBucket(join(folder, 'bucket')) : null;
  const issuing = ca === 'pebble' ? await startIssuing(proxies.includes('ca')) : null;
  const development = ca === 'development' ? await startDevelopmentServers(folder, challengePort) : null;
  const knownNames = hasKnownNames ? await startKnownNames() : null;
  const caPort = await freePort();
  const { wires, ...stored } = await connectStores(postgres, redis, proxies.includes('stores'));
  const storage = bucket?.environment ?? (await openFolder(join(folder, 'deployments')));
  return {
    ...{ postgres, redis, bucket, issuing, development, knownNames, caPort, wires, storage },
    challenges:
      issuing === null
        ? { HTTP01_PORT: String(challengePort) }
        : { HTTP01_PORT: String(issuing.httpPort), NODE_EXTRA_CA_CERTS: issuing.pebble.caCertificatePath },
    addresses: (withCa) => {
      const directoryUrl = issuing?.directoryUrl ?? development?.ca.directoryUrl;
      const resolver = (issuing ?? development)?.dns.address;
      const nowhere = `127.0.0.1:${caPort}`;
      return {
        ...stored,
        storage,
        ...(withCa
          ? { directoryUrl: present(directoryUrl, 'CA'), resolver: present(resolver, 'CA') }
          : { directoryUrl: `http://${nowhere}/directory`, resolver: knownNames?.address ?? nowhere }),
      };
    },
    close: async () => {
      await Promise.all([...wires.redis, ...wires.postgres].map((wire) => wire.close()));
      await Promise.all([
        issuing?.close(),
        development?.close(),
        knownNames?.child.stop(),
        redis?.stop(),
        bucket?.stop(),
      ]);
      await postgres.stop();
    },
  };
}

/** A part of a stack. @throws Error if the stack was started without it */
export function present<T>(part: T | null | undefined, name: string): T {
  if (part === null || part === undefined) throw new Error(`this stack has no ${name}`);
  return part;
}

/** @throws Error where it is not installed */
export async function startRedis(): Promise<TestRedis> {
  const redis = await startTestRedis();
  if (redis === null) throw new Error('redis-server is not installed: "node tools/setup.mjs bench" does that');
  return redis;
}

async function openFolder(path: string): Promise<Environment> {
  await mkdir(path);
  return { STORAGE_URL: pathToFileURL(path).href };
}

async function startKnownNames(): Promise<KnownNames> {
  const port = await freePort();
  const program = fileURLToPath(new URL('dns/known-names-main.js', import.meta.url));
  const child = run({ name: 'dns', command: process.execPath, args: [program, String(port), PLATFORM_DOMAIN] });
  return { child, address: `127.0.0.1:${port}` };
}

/** Each process has a wire of its own to Redis; only pets-api has one to PostgreSQL. */
async function connectStores(postgres: StackPostgres, redis: TestRedis | null, throughProxies: boolean) {
  if (!throughProxies) {
    const redisUrls = redis === null ? undefined : { api: redis.url, worker: redis.url };
    return { wires: { redis: [], postgres: [] }, databaseUrl: postgres.url, ...(redisUrls && { redisUrls }) };
  }
  const { port } = present(redis, 'Redis');
  const [ofApi, ofWorker] = [await startTcpProxy({ port }), await startTcpProxy({ port })];
  const wire = await startTcpProxy({ port: postgres.port });
  const url = new URL(postgres.url);
  url.port = String(wire.port);
  return {
    wires: { redis: [ofApi, ofWorker], postgres: [wire] },
    databaseUrl: url.href,
    redisUrls: { api: `redis://127.0.0.1:${ofApi.port}`, worker: `redis://127.0.0.1:${ofWorker.port}` },
  };
}
