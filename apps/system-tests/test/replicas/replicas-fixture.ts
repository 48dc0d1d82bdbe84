/**
 * Several of each service on one machine, as real processes: PostgreSQL and Redis below them, balancers before them, the
 * development DNS and CA beside them.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PetsClient } from '@pets/client';
import { freePort, isInstalled, startTestPostgresServer, startTestRedis } from '@pets/testing';
import { deployProject, openPets } from '../domain-steps.js';
import { startBalancer, type Balancer } from './balancer.js';
import { firstBuild, Replica } from './replica.js';
import { makeSettings, type Settings } from './settings.js';
import { startReplicaServices, type ReplicaServices } from './replica-services.js';

export interface Counts {
  readonly apis: number;
  readonly workers: number;
  readonly edges: number;
  /** Settings that all of them get besides. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Api {
  readonly replica: Replica;
  readonly port: number;
  readonly url: string;
}

export interface Edge {
  readonly replica: Replica;
  readonly httpPort: number;
  readonly httpsPort: number;
}

export interface ReplicasFixture extends ReplicaServices {
  readonly apis: readonly Api[];
  readonly workers: readonly Replica[];
  readonly edges: readonly Edge[];
  readonly balancers: { readonly api: Balancer; readonly http: Balancer; readonly https: Balancer };
  /** URL of the balancer before all of them. */
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisPort: number;
  readonly apiKey: string;
  readonly projectId: string;
  /** Through the balancer. */
  readonly pets: PetsClient;
  /** Runs the migration of a checkout. */
  migrate(build: string): Promise<unknown>;
  /** @returns a key of it */
  createOrganization(name: string, plan: 'free' | 'pro'): Promise<string>;
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
const [MIGRATION, ADMIN] = ['apps/pets-api/dist/migrate.js', 'apps/pets-api/dist/admin.js'];

/** Returns the reason why the fixture cannot run on this machine; null if it can. */
export function missingForReplicas(): string | null {
  return isInstalled('redis-server') ? null : 'redis-server is not installed';
}

/** Starts them all and waits until they are ready. What was started ends if something else does not start. */
export async function startReplicas(counts: Counts): Promise<ReplicasFixture> {
  const opened: Opened = [];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    return { ...(await build(counts, opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How to end what runs, in the order in which it was begun. */
type Opened = (() => Promise<unknown>)[];

async function build(counts: Counts, opened: Opened): Promise<Omit<ReplicasFixture, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-replicas-'));
  opened.push(() => rm(folder, { recursive: true, force: true }));
  const stores = await startStores(opened);
  const ports = await choosePorts(counts);
  const balancers = await startBalancers(ports, opened);
  const services = await startReplicaServices(folder, balancers.http.port);
  opened.push(() => services.closeServices());
  const apiUrl = `http://127.0.0.1:${balancers.api.port}`;
  const { environment = {} } = counts;
  const settings = await makeSettings({ folder, apiUrl, balancers, services, environment, ...stores });
  const migrate = (build: string) => runProgram(join(build, MIGRATION), [], settings.api('migrate'));
  await migrate(firstBuild);
  const createOrganization = async (name: string, plan: 'free' | 'pro') => {
    const command = ['organization', 'create', '--name', name, '--plan', plan, '--key-name', 'test'];
    const { apiKey } = await admin(settings, command);
    if (apiKey === undefined) throw new Error('the administrator’s command made no key');
    return apiKey;
  };
  const apiKey = await createOrganization('Acme', 'pro');
  const started = await startProcesses({ settings, folder, ports }, opened);
  const pets = openPets({ apiUrl, apiKey });
  const projectId = await deployProject({ apiUrl, apiKey }, 'acme-docs');
  return {
    ...services,
    ...started,
    ...stores,
    balancers,
    apiUrl,
    apiKey,
    projectId,
    pets,
    migrate,
    createOrganization,
  };
}

async function startStores(opened: Opened) {
  const postgres = await startTestPostgresServer();
  opened.push(() => postgres.stop());
  const redis = await startTestRedis();
  if (redis === null) throw new Error('redis-server is not installed');
  opened.push(() => redis.stop());
  return { databaseUrl: postgres.url, redisUrl: redis.url, redisPort: redis.port };
}

async function startBalancers({ apis, edges }: Ports, opened: Opened) {
  const balancers = {
    api: await startBalancer(apis),
    http: await startBalancer(edges.map(({ httpPort }) => httpPort)),
    https: await startBalancer(edges.map(({ httpsPort }) => httpsPort)),
  };
  opened.push(() => Promise.all(Object.values(balancers).map((balancer) => balancer.close())));
  return balancers;
}

type Ports = Awaited<ReturnType<typeof choosePorts>>;

async function choosePorts({ apis, workers, edges }: Counts) {
  const several = async <T>(count: number, choose: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, () => choose()));
  return {
    apis: await several(apis, freePort),
    workers: await several(workers, freePort),
    edges: await several(edges, async () => ({
      httpPort: await freePort(),
      httpsPort: await freePort(),
      healthPort: await freePort(),
    })),
  };
}

interface Plan {
  readonly settings: Settings;
  readonly folder: string;
  readonly ports: Ports;
}

/** The edges last: they begin by registering with an API. */
async function startProcesses({ settings, folder, ports }: Plan, opened: Opened) {
  const apis = ports.apis.map((port, index) => {
    const url = `http://127.0.0.1:${port}`;
    const env = { ...settings.api(`api-${index}`), PORT: String(port) };
    return { replica: new Replica({ app: 'pets-api', env, readyUrl: `${url}/readyz` }), port, url };
  });
  const workers = ports.workers.map((port) => {
    const env = { ...settings.worker, HEALTH_PORT: String(port) };
    return new Replica({ app: 'domains-worker', env, readyUrl: `http://127.0.0.1:${port}/readyz` });
  });
  const first = [...apis.map(({ replica }) => replica), ...workers];
  opened.push(() => Promise.all(first.map((replica) => replica.stop())));
  await Promise.all(first.map((replica) => replica.untilReady()));
  const edges = ports.edges.map(({ healthPort, ...own }, index) => {
    const env = {
      ...settings.edge(own),
      HEALTH_PORT: String(healthPort),
      EDGE_DATA_DIR: join(folder, `edge-${index}`),
      EDGE_PROCESSES: '2',
    };
    return { replica: new Replica({ app: 'edge', env, readyUrl: `http://127.0.0.1:${healthPort}/readyz` }), ...own };
  });
  opened.push(() => Promise.all(edges.map(({ replica }) => replica.stop())));
  await Promise.all(edges.map(({ replica }) => replica.untilReady()));
  return { apis, workers, edges };
}

/** Runs a program to its end. @returns what it printed */
async function runProgram(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env, timeout: MINUTE_MS });
  return stdout;
}

async function admin(settings: Settings, args: readonly string[]): Promise<Partial<Record<string, string>>> {
  const printed = await runProgram(join(firstBuild, ADMIN), args, settings.api('admin'));
  return JSON.parse(printed) as Partial<Record<string, string>>; // what it prints
}
