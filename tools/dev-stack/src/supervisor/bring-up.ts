/**
 * `npm start`, from nothing to ready: data folder → ports → secrets → database → DNS and CA → migrations → services → seed →
 * greeting. Each step needs the one before it, and each wait has a limit and ends at once when a stop begins.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { preparePostgres, waitForPostgres } from '@pets/testing/postgres';
import {
  assertPortsFree,
  freePort,
  untilReady,
  type ChildSpec,
  type ReadySpec,
  type WantedPort,
} from '@pets/testing/processes';
import { assertServicesUsable } from './check-services.js';
import {
  devFilePath,
  findRunningStack,
  removeDevFile,
  writeCurlConfig,
  writeDevFile,
  type DevFile,
} from './dev-file.js';
import { openSecrets, type Secrets } from './secrets.js';
import { seed, type Seed, type Seeding } from './seed.js';
import {
  adminSpec,
  apiUrl,
  devCaSpec,
  devDnsSpec,
  domainsWorkerSpec,
  edgeSpec,
  hasCommand,
  internalUrl,
  migrateSpec,
  petsApiSpec,
  type Wiring,
} from './services.js';
import type { Settings } from './settings.js';
import type { Supervisor } from './supervisor.js';

/** A first start on a slow machine takes seconds; beyond this something is wrong. */
const READY_LIMIT_MS = 60_000;

/** Starts the programs of the stack: the supervisor itself, or the development loop. */
export type Services = {
  start(spec: ReadySpec): void;
  run(spec: ChildSpec): Promise<readonly string[]>;
};

export type BringUpOptions = {
  readonly print: (line: string) => void;
  readonly services?: Services;
  /** A dashboard of its own instead of the built one, at DASHBOARD_PORT. */
  readonly startDashboard?: () => void;
  readonly readyLimitMs?: number;
  /** Whether what it needs is there: services answer, and the database has its schema. */
  readonly isPrepared?: boolean;
  /** Runs the administrator's command, if not as a process. */
  readonly admin?: Seeding['admin'];
};

export async function bringUp(
  supervisor: Supervisor,
  settings: Settings,
  {
    print,
    services = supervisor,
    startDashboard,
    readyLimitMs = READY_LIMIT_MS,
    isPrepared = false,
    admin,
  }: BringUpOptions,
): Promise<void> {
  await assertAlone(settings);
  const isClaimed = await isOwnDataFolder(settings.DATA_DIR);
  if (!isPrepared) await assertServicesUsable(settings);
  await assertPortsFree(wantedPorts(settings, startDashboard !== undefined));
  if (!isClaimed) await claimDataFolder(settings.DATA_DIR);
  const stack = { services, signal: supervisor.signal, readyLimitMs };
  const secrets = await openSecrets(settings);
  const databaseUrl = settings.DATABASE_URL ?? (await startDatabase(supervisor, settings));
  ownDevFile(supervisor, settings);
  await startDevServices(stack, settings, secrets);
  const wiring: Wiring = {
    settings,
    secrets,
    databaseUrl,
    workerHealthPort: await freePort(),
    edgeHealthPort: await freePort(),
    dashboardOrigin: startDashboard && `http://127.0.0.1:${settings.DASHBOARD_PORT}`,
  };
  if (!isPrepared) await services.run(migrateSpec(wiring));
  startDashboard?.();
  await startServices(stack, wiring);
  const seeded = await seed({
    apiUrl: apiUrl(settings),
    secretsFolder: secrets.folder,
    admin: admin ?? ((args) => services.run(adminSpec(wiring, args))),
  });
  const dev = describeStack(wiring, seeded);
  supervisor.signal.throwIfAborted();
  await writeCurlConfig(settings.DATA_DIR, dev);
  await writeDevFile(settings.DATA_DIR, dev);
  for (const line of greeting(dev, settings.DATA_DIR, hasCommand())) print(line);
  print(`ready ${dev.apiUrl}`);
}

async function assertAlone({ DATA_DIR }: Settings): Promise<void> {
  const running = await findRunningStack(DATA_DIR);
  if (running !== null)
    throw new Error(
      `a stack already runs on ${DATA_DIR}, at ${running.apiUrl}: \`npm run demo\` uses it, and Ctrl-C in its terminal stops it`,
    );
}

/** Not before the ports and the database are ours: until then the file may be that of another stack, which runs. */
function ownDevFile(supervisor: Supervisor, settings: Settings): void {
  removeDevFile(settings.DATA_DIR); // of a stack that ended with its machine
  supervisor.reaper.addFile(devFilePath(settings.DATA_DIR));
  supervisor.signal.addEventListener('abort', () => removeDevFile(settings.DATA_DIR));
}

function wantedPorts(settings: Settings, hasDashboard: boolean): WantedPort[] {
  const tcp = ['tcp'] as const;
  return [
    { variable: 'PETS_API_PORT', port: settings.PETS_API_PORT, protocols: tcp },
    { variable: 'PETS_API_INTERNAL_PORT', port: settings.PETS_API_INTERNAL_PORT, protocols: tcp },
    { variable: 'EDGE_HTTP_PORT', port: settings.EDGE_HTTP_PORT, protocols: tcp },
    { variable: 'EDGE_HTTPS_PORT', port: settings.EDGE_HTTPS_PORT, protocols: tcp },
    ...(usesDevDns(settings)
      ? [
          { variable: 'DEV_DNS_PORT', port: settings.DEV_DNS_PORT, protocols: ['udp', 'tcp'] as const },
          { variable: 'DEV_DNS_SECOND_PORT', port: settings.DEV_DNS_SECOND_PORT, protocols: ['udp', 'tcp'] as const },
          { variable: 'DEV_DNS_CONTROL_PORT', port: settings.DEV_DNS_CONTROL_PORT, protocols: tcp },
        ]
      : []),
    ...(hasDashboard ? [{ variable: 'DASHBOARD_PORT', port: settings.DASHBOARD_PORT, protocols: tcp }] : []),
    ...(usesDevCa(settings) ? [{ variable: 'DEV_ACME_PORT', port: settings.DEV_ACME_PORT, protocols: tcp }] : []),
  ];
}

const usesDevDns = (settings: Settings): boolean => settings.DNS_RESOLVERS === undefined;
const usesDevCa = (settings: Settings): boolean => settings.ACME_DIRECTORY_URLS === undefined;

async function startDatabase(supervisor: Supervisor, settings: Settings): Promise<string> {
  const { url, spec } = await preparePostgres(
    { dataDir: join(settings.DATA_DIR, 'postgres'), port: await freePort() },
    supervisor,
  );
  supervisor.start(spec);
  await waitForPostgres(url, supervisor.signal);
  return url;
}

type Stack = { readonly services: Services; readonly signal: AbortSignal; readonly readyLimitMs: number };

async function startDevServices(stack: Stack, settings: Settings, secrets: Secrets): Promise<void> {
  await Promise.all([
    ...(usesDevDns(settings) ? [startUntilReady(stack, devDnsSpec(settings, secrets))] : []),
    ...(usesDevCa(settings) ? [startUntilReady(stack, devCaSpec(settings))] : []),
  ]);
}

/** The edge comes last: it begins by registering with the API. */
async function startServices(stack: Stack, wiring: Wiring): Promise<void> {
  const worker = startUntilReady(stack, domainsWorkerSpec(wiring));
  worker.catch(() => undefined); // reported below
  await startUntilReady(stack, petsApiSpec(wiring));
  await Promise.all([worker, startUntilReady(stack, edgeSpec(wiring))]);
}

async function startUntilReady({ services, signal, readyLimitMs }: Stack, spec: ReadySpec): Promise<void> {
  services.start(spec);
  await untilReady(spec, { signal, timeoutMs: readyLimitMs });
}

function describeStack({ settings, secrets, databaseUrl, dashboardOrigin }: Wiring, { pro, free }: Seed): DevFile {
  return {
    apiUrl: apiUrl(settings),
    internalUrl: internalUrl(settings),
    dashboardUrl: `${dashboardOrigin ?? apiUrl(settings)}/dashboard`,
    edgeHttpUrl: `http://127.0.0.1:${settings.EDGE_HTTP_PORT}`,
    edgeHttpsUrl: `https://127.0.0.1:${settings.EDGE_HTTPS_PORT}`,
    dnsControlUrl: usesDevDns(settings) ? `http://127.0.0.1:${settings.DEV_DNS_CONTROL_PORT}` : null,
    caControlUrl: usesDevCa(settings) ? `http://127.0.0.1:${settings.DEV_ACME_PORT}/control` : null,
    caCertificatePath: secrets.caCertificatePath,
    platformDomain: settings.PLATFORM_DOMAIN,
    databaseUrl,
    apiKey: pro.apiKey,
    organizationId: pro.organizationId,
    projectId: pro.projectId,
    freeApiKey: free.apiKey,
    freeProjectId: free.projectId,
  };
}

/** Returns the addresses of the stack, and three commands to try. */
function greeting(dev: DevFile, dataDir: string, isBuilt: boolean): string[] {
  const key = `-H 'authorization: Bearer ${dev.apiKey}'`;
  const curlConfig = relative('', join(dataDir, 'curlrc'));
  return [
    '',
    `  API        ${dev.apiUrl}/v1`,
    `  Dashboard  ${dev.dashboardUrl} (sign in with the API key below)`,
    `  Edge       ${dev.edgeHttpUrl}  ${dev.edgeHttpsUrl}`,
    ...(dev.dnsControlUrl === null ? [] : [`  DNS        ${dev.dnsControlUrl}/records`]),
    `  CA root    ${dev.caCertificatePath}`,
    `  API key    ${dev.apiKey}`,
    '',
    '  Try:',
    `  curl ${key} ${dev.apiUrl}/v1/pets`,
    `  curl --config ${curlConfig} https://acme-docs.${dev.platformDomain}/`,
    ...(isBuilt ? ['  npx pets domains add docs.example.com'] : []),
    '',
    '  Ctrl-C stops it; the data stay. LOG_LEVEL=info shows more.',
    '',
  ];
}

const FORMAT_FILE = 'format';
/** The layout of the folder and the schema in it, since 1.0. */
const FORMAT = '1';
/** Each stack writes these in its first seconds. */
const FIRST_FILES = ['secrets', 'dev-ca', 'postgres'];

/**
 * Whether a stack of this format wrote into DATA_DIR. Changes nothing.
 * @throws Error with the folder and the remedy, if a stack of another format did
 */
export async function isOwnDataFolder(folder: string): Promise<boolean> {
  const found = await readFile(join(folder, FORMAT_FILE), 'utf8').catch(() => undefined);
  if (found?.trim() === FORMAT) return true;
  if (found === undefined && !FIRST_FILES.some((name) => existsSync(join(folder, name)))) return false;
  const writer = found === undefined ? 'a version before 1.0' : 'a newer version';
  throw new Error(
    `DATA_DIR: ${folder} was written by ${writer}, and this one cannot read it: move it away, or set DATA_DIR to another folder`,
  );
}

/** Writes the format, before anything else is in the folder. */
export async function claimDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, FORMAT_FILE), `${FORMAT}\n`, { mode: 0o600 });
}
