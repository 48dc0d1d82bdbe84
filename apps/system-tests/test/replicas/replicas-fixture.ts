/**
 * Several of each service on one machine, as real processes: PostgreSQL and Redis below them, balancers before them, the
 * development DNS and CA beside them.
 */
import type { PetsClient } from '@pets/client';
import { startStack, type Stack, type StackEdge, type StackProcess } from '@pets/lab';
import { isInstalled, type DevCa, type DevDns } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { deployProject, openPets } from '../domain-steps.js';
import { startBalancer, type Balancer } from './balancer.js';

/** The checkout whose build runs at first: another one while `npm run upgrade-check` replaces it by this one. */
export const firstBuild = process.env['PETS_FIRST_BUILD'] ?? repositoryRoot;

export interface Counts {
  readonly apis: number;
  readonly workers: number;
  readonly edges: number;
  /** Settings that all of them get besides. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ReplicasFixture {
  readonly stack: Stack;
  readonly apis: readonly StackProcess[];
  readonly workers: readonly StackProcess[];
  readonly edges: readonly StackEdge[];
  readonly balancers: { readonly api: Balancer; readonly http: Balancer; readonly https: Balancer };
  readonly dns: DevDns;
  readonly ca: DevCa;
  /** URL of the balancer before all of them. */
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly redisPort: number;
  readonly apiKey: string;
  readonly projectId: string;
  /** Through the balancer. */
  readonly pets: PetsClient;
  close(): Promise<void>;
}

/** Returns the reason why the fixture cannot run on this machine; null if it can. */
export function missingForReplicas(): string | null {
  return isInstalled('redis-server') ? null : 'redis-server is not installed';
}

/** Starts them all and waits until they are ready. What was started ends if something else does not start. */
export async function startReplicas(counts: Counts): Promise<ReplicasFixture> {
  const balancers = { api: await startBalancer(), http: await startBalancer(), https: await startBalancer() };
  const apiUrl = `http://127.0.0.1:${balancers.api.port}`;
  let stack: Stack | undefined;
  // The edges say goodbye through a balancer.
  const close = async () => {
    await stack?.close();
    await Promise.all(Object.values(balancers).map((balancer) => balancer.close()));
  };
  try {
    stack = await startStack({
      stores: { postgres: 'volatile' },
      ca: 'development',
      challengePort: balancers.http.port,
      build: firstBuild,
      settings: settingsOf(apiUrl, balancers.https.port, counts.environment),
    });
    const processes = await startProcesses(stack, counts, balancers, apiUrl);
    const { apiKey, development, postgres, redis } = stack;
    const projectId = await deployProject({ apiUrl, apiKey }, 'acme-docs');
    return {
      ...{ stack, apiKey, balancers, apiUrl, projectId, close, ...processes },
      ...{ dns: development.dns, ca: development.ca, databaseUrl: postgres.url, redisPort: redis.port },
      pets: openPets({ apiUrl, apiKey }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function settingsOf(apiUrl: string, httpsPort: number, environment: Counts['environment'] = {}) {
  const worker = { ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true', ...environment };
  const shared = { PUBLIC_HTTPS_PORT: String(httpsPort) };
  return {
    api: { ...worker, ...shared, PUBLIC_URL: apiUrl, ALLOW_SPECIAL_USE_NAMES: 'true' },
    worker,
    edge: {
      ...environment,
      ...shared,
      EDGE_MAX_CONNECTIONS_PER_ADDRESS: '0',
      EDGE_HANDSHAKES_PER_ADDRESS: '0',
      EDGE_ALLOW_PRIVATE_ORIGINS: 'true',
    },
  };
}

/** The edges last: they begin by registering with an API. */
async function startProcesses(
  stack: Stack,
  counts: Counts,
  balancers: ReplicasFixture['balancers'],
  apiUrl: string,
): Promise<Pick<ReplicasFixture, 'apis' | 'workers' | 'edges'>> {
  const several = <T>(count: number, start: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => start(index)));
  const { api } = stack.environments();
  // Under its name in the database, so that a trigger knows who wrote.
  const named = (index: number) => ({ ...api, DATABASE_URL: `${stack.postgres.url}?application_name=api-${index}` });
  const [apis, workers] = await Promise.all([
    several(counts.apis, (index) => stack.startApi(named(index))),
    several(counts.workers, () => stack.startWorker()),
  ]);
  for (const { url } of apis) balancers.api.putIn(portOf(url));
  const edges = await several(counts.edges, () => stack.startEdge({ url: apiUrl }));
  for (const { httpPort, httpsPort } of edges) {
    balancers.http.putIn(httpPort);
    balancers.https.putIn(httpsPort);
  }
  return { apis, workers, edges };
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Starts a process again that was stopped. @param changes of its program, from now on */
export async function startAgain(replica: StackProcess, changes?: Parameters<StackProcess['start']>[0]): Promise<void> {
  replica.start(changes);
  await replica.untilReady();
}
