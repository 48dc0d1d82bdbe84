import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuePlatformCertificate, openAuthority, type CertificateAuthority } from '@pets/testing/dev-ca';
import { freePort, repositoryRoot } from '@pets/testing/processes';
import {
  apiEnvironment,
  edgeEnvironment,
  makeSecrets,
  PLATFORM_DOMAIN,
  workerEnvironment,
  type EdgePlace,
  type Environment,
} from './environments.js';
import type { DevelopmentServers, Issuing } from './issuing.js';
import { built, profiling, runApi, startProcess, type App, type Program, type StackProcess } from './programs.js';
import { present, startServers, type ServerOptions, type Servers } from './servers.js';
import { mountSmallDisk, type SmallDisk } from './stores/small-disk.js';

/** Contents of a stack. Without options: PostgreSQL, Redis and a DNS server, and no process of ours. */
export interface StackOptions extends ServerOptions {
  /** Processes to start, besides edges. */
  readonly processes?: readonly ('api' | 'worker')[];
  /** The checkout whose build runs; this one by default. */
  readonly build?: string;
  /** How many edges to start. Pebble asks the first. */
  readonly edges?: number;
  /** Whether each edge has a small disk of its own. */
  readonly hasSmallDisks?: boolean;
  /** Whether processes restart whenever they end, like containers with a restart policy. */
  readonly isKept?: boolean;
  /** Settings of all processes of a kind, besides those that the stack makes. */
  readonly settings?: { readonly api?: Environment; readonly worker?: Environment; readonly edge?: Environment };
  /** Receives every line that a process of ours prints. */
  readonly onLine?: (line: string) => void;
}

export interface StackEdge extends EdgePlace {
  readonly process: StackProcess;
  readonly healthPort: number;
  readonly disk: SmallDisk | null;
}

/** An organization, with a key of full scopes. Its limits are those of its plan. */
export interface Tenant {
  readonly organizationId: string;
  readonly apiKey: string;
}

type Plan = 'free' | 'pro' | 'enterprise';

interface Environments {
  readonly api: Environment;
  readonly worker: Environment;
  /** The environment of the first edge, without `API_URL`. */
  readonly edge: Environment;
}

/** A stack on ports and folders of its own, with an organization on it. Parts that it was started without throw. */
export interface Stack extends Tenant, Pick<Servers, 'postgres' | 'wires' | 'caPort'> {
  readonly folder: string;
  readonly redis: NonNullable<Servers['redis']>;
  readonly bucket: NonNullable<Servers['bucket']>;
  readonly issuing: Issuing;
  readonly development: DevelopmentServers;
  readonly knownNames: NonNullable<Servers['knownNames']>;
  readonly api: StackProcess;
  readonly worker: StackProcess;
  readonly edges: readonly StackEdge[];
  /** @param withCa whether with the CA of the stack and the records of its DNS servers; otherwise names are known ones */
  environments(withCa?: boolean): Environments;
  /** Starts one process more and waits until it is ready. It ends with the stack, or before. */
  startApi(environment?: Environment): Promise<StackProcess>;
  startWorker(environment?: Environment): Promise<StackProcess>;
  startEdge(api: Pick<StackProcess, 'url'>): Promise<StackEdge>;
  createTenant(plan: Plan): Tenant;
  /** Runs the administrator's command. @returns what it prints */
  admin(args: readonly string[]): object;
  /** Runs the migration of a checkout. */
  migrate(build?: string): void;
  /** All processes that were started, those first that depend on others. */
  processes(): readonly StackProcess[];
  close(): Promise<void>;
}

/** Order of stopping: those first that depend on others. */
const stopOrder = ['edge', 'domains-worker', 'pets-api'] as const;

/** Starts a stack of the built programs. It ends with this process, whatever that dies of. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-lab-'));
  const servers = await startServers(folder, options);
  const environments = await makeEnvironments(folder, servers, options);
  // Past what a fault may cut.
  const administrator = { ...environments().api, DATABASE_URL: servers.postgres.url };
  const { build: firstBuild = repositoryRoot } = options;
  const migrate = (build = firstBuild) => void runApi(built('pets-api', 'migrate.js', build), [], administrator);
  migrate();
  const admin = (args: readonly string[]) =>
    JSON.parse(runApi(built('pets-api', 'admin.js', firstBuild), args, administrator)) as object;
  const createTenant = (plan: Plan) =>
    admin(['organization', 'create', '--name', 'Lab', '--plan', plan, '--key-name', 'lab']) as Tenant; // what it prints
  const tenant = createTenant('pro');
  const launched: { readonly app: App; readonly process: StackProcess }[] = [];
  const launch = async (app: App, env: Environment, port: number, disk: SmallDisk | null = null) => {
    const program: Program = {
      name: app,
      command: process.execPath,
      args: [...profiling(app), built(app, 'main.js', firstBuild)],
      env,
    };
    const child = { ...(disk?.on(program) ?? program), onLine: options.onLine };
    const started = startProcess(child, `http://127.0.0.1:${port}`, options.isKept === true);
    launched.push({ app, process: started });
    await started.untilReady();
    return started;
  };
  const startApi = async (env = environments().api) => {
    const port = await freePort();
    return launch('pets-api', { ...env, PORT: String(port) }, port);
  };
  const startWorker = async (env = environments().worker) => {
    const port = await freePort();
    return launch('domains-worker', { ...env, HEALTH_PORT: String(port) }, port);
  };
  const edges: StackEdge[] = [];
  let placed = 0;
  const startEdge = async ({ url }: Pick<StackProcess, 'url'>): Promise<StackEdge> => {
    const place = await placeEdge(folder, placed++, servers.issuing);
    const healthPort = await freePort();
    const disk = options.hasSmallDisks === true ? await mountSmallDisk(place.dataFolder) : null;
    const env = { ...environments(undefined, place).edge, API_URL: url, HEALTH_PORT: String(healthPort) };
    const started = { ...place, healthPort, disk, process: await launch('edge', env, healthPort, disk) };
    edges.push(started);
    return started;
  };
  const wants = (name: 'api' | 'worker') => options.processes?.includes(name) === true;
  const [api, worker] = await Promise.all([wants('api') ? startApi() : null, wants('worker') ? startWorker() : null]);
  while (edges.length < (options.edges ?? 0)) await startEdge(present(api, 'pets-api'));
  const of = (wanted: App) => launched.filter(({ app }) => app === wanted).map((one) => one.process);
  const processes = () => stopOrder.flatMap(of);
  return {
    ...{ ...tenant, folder, edges, environments, startApi, startWorker, startEdge },
    ...{ createTenant, admin, migrate, processes },
    ...{ postgres: servers.postgres, wires: servers.wires, caPort: servers.caPort },
    get redis() {
      return present(servers.redis, 'Redis');
    },
    get bucket() {
      return present(servers.bucket, 'bucket');
    },
    get issuing() {
      return present(servers.issuing, 'CA');
    },
    get development() {
      return present(servers.development, 'CA of `npm start`');
    },
    get knownNames() {
      return present(servers.knownNames, 'server of known names');
    },
    get api() {
      return present(api, 'pets-api');
    },
    get worker() {
      return present(worker, 'domains-worker');
    },
    close: async () => {
      await servers.bucket?.bringBack();
      for (const app of stopOrder) await Promise.all(of(app).map((one) => one.stop()));
      for (const { disk } of edges) await disk?.stop();
      await servers.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeEnvironments(folder: string, servers: Servers, { settings: more = {} }: StackOptions) {
  const secrets = makeSecrets();
  const { EDGE_TOKEN, CERTIFICATE_KEKS } = secrets.api;
  const authority = servers.development?.ca.authority ?? (await openAuthority(join(folder, 'platform-ca')));
  const ofEdge = { EDGE_TOKEN, CERTIFICATE_KEKS, ...servers.storage, ...(await issueForPlatform(authority)) };
  const first = await placeEdge(folder, 0, servers.issuing);
  const hasCa = servers.issuing !== null || servers.development !== null;
  return (withCa = hasCa, place: EdgePlace = first): Environments => {
    const at = servers.addresses(withCa);
    const ca = withCa ? servers.challenges : {};
    return {
      api: { ...apiEnvironment(secrets, at), ...more.api },
      worker: { ...workerEnvironment(secrets, at), ...ca, ...more.worker },
      edge: { ...edgeEnvironment(ofEdge, place), ...more.edge },
    };
  };
}

async function placeEdge(folder: string, index: number, issuing: Issuing | null): Promise<EdgePlace> {
  return {
    httpPort: index === 0 && issuing !== null ? issuing.httpPort : await freePort(),
    httpsPort: await freePort(),
    dataFolder: join(folder, `edge-${index}`),
  };
}

async function issueForPlatform(authority: CertificateAuthority) {
  const { certificatePem, privateKeyPem } = await issuePlatformCertificate(authority, [`*.${PLATFORM_DOMAIN}`]);
  return { PLATFORM_CERTIFICATE: certificatePem, PLATFORM_KEY: privateKeyPem };
}
