/**
 * `npm start`, from nothing to ready: ports → secrets → database → DNS and CA → migrations → services → seed →
 * greeting. Each step needs the one before it, and each wait has a limit and ends at once when a stop begins.
 */
import { join } from 'node:path';
import { assertPortsFree, freePort, type WantedPort } from '../ports.js';
import { preparePostgres, waitForPostgres } from '../postgres/postgres.js';
import { waitUntil } from '../wait-until.js';
import { assertServicesUsable } from './check-services.js';
import {
  devFilePath,
  findRunningStack,
  removeDevFile,
  writeCurlConfig,
  writeDevFile,
  type DevFile,
} from './dev-file.js';
import { greeting } from './greeting.js';
import { openSecrets, type Secrets } from './secrets.js';
import { seed, type Seed } from './seed.js';
import {
  adminSpec,
  apiUrl,
  assertBuilt,
  devCaSpec,
  devDnsSpec,
  domainsWorkerSpec,
  edgeSpec,
  internalUrl,
  migrateSpec,
  petsApiSpec,
  type Wiring,
} from './services.js';
import type { Settings } from './settings.js';
import type { Supervisor } from './supervisor.js';

/** A first start on a slow machine takes seconds; beyond this something is wrong. */
const READY_LIMIT_MS = 60_000;
const PROBE_LIMIT_MS = 2_000;

export async function bringUp(
  supervisor: Supervisor,
  settings: Settings,
  print: (line: string) => void,
): Promise<void> {
  assertBuilt();
  await assertAlone(settings);
  await assertServicesUsable(settings);
  await assertPortsFree(wantedPorts(settings));
  const secrets = await openSecrets(settings);
  const databaseUrl = settings.DATABASE_URL ?? (await startDatabase(supervisor, settings));
  ownDevFile(supervisor, settings);
  await startDevServices(supervisor, settings, secrets);
  const wiring: Wiring = {
    settings,
    secrets,
    databaseUrl,
    workerHealthPort: await freePort(),
    edgeHealthPort: await freePort(),
  };
  await supervisor.run(migrateSpec(wiring));
  await startServices(supervisor, wiring);
  const seeded = await seed({
    apiUrl: apiUrl(settings),
    secretsFolder: secrets.folder,
    admin: (args) => supervisor.run(adminSpec(wiring, args)),
  });
  const dev = describeStack(wiring, seeded);
  supervisor.signal.throwIfAborted();
  await writeCurlConfig(settings.DATA_DIR, dev);
  await writeDevFile(settings.DATA_DIR, dev);
  for (const line of greeting(dev, settings.DATA_DIR)) print(line);
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

function wantedPorts(settings: Settings): WantedPort[] {
  const tcp = ['tcp'] as const;
  return [
    { variable: 'PETS_API_PORT', port: settings.PETS_API_PORT, protocols: tcp },
    { variable: 'PETS_API_INTERNAL_PORT', port: settings.PETS_API_INTERNAL_PORT, protocols: tcp },
    { variable: 'EDGE_HTTP_PORT', port: settings.EDGE_HTTP_PORT, protocols: tcp },
    { variable: 'EDGE_HTTPS_PORT', port: settings.EDGE_HTTPS_PORT, protocols: tcp },
    ...(usesDevDns(settings)
      ? [
          { variable: 'DEV_DNS_PORT', port: settings.DEV_DNS_PORT, protocols: ['udp', 'tcp'] as const },
          { variable: 'DEV_DNS_CONTROL_PORT', port: settings.DEV_DNS_CONTROL_PORT, protocols: tcp },
        ]
      : []),
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

async function startDevServices(supervisor: Supervisor, settings: Settings, secrets: Secrets): Promise<void> {
  const waits: Promise<void>[] = [];
  if (usesDevDns(settings)) {
    supervisor.start(devDnsSpec(settings, secrets));
    waits.push(answers(supervisor, 'dev-dns', `http://127.0.0.1:${settings.DEV_DNS_CONTROL_PORT}/records`));
  }
  if (usesDevCa(settings)) {
    supervisor.start(devCaSpec(settings));
    waits.push(answers(supervisor, 'dev-ca', `http://127.0.0.1:${settings.DEV_ACME_PORT}/directory`));
  }
  await Promise.all(waits);
}

/** The edge comes last: it begins by registering with the API. */
async function startServices(supervisor: Supervisor, wiring: Wiring): Promise<void> {
  supervisor.start(petsApiSpec(wiring));
  supervisor.start(domainsWorkerSpec(wiring));
  await answers(supervisor, 'pets-api', `${apiUrl(wiring.settings)}/readyz`);
  supervisor.start(edgeSpec(wiring));
  await Promise.all([
    answers(supervisor, 'domains-worker', `http://127.0.0.1:${wiring.workerHealthPort}/readyz`),
    answers(supervisor, 'edge', `http://127.0.0.1:${wiring.edgeHealthPort}/readyz`),
  ]);
}

async function answers(supervisor: Supervisor, name: string, url: string): Promise<void> {
  const look = async () => {
    const signal = AbortSignal.any([supervisor.signal, AbortSignal.timeout(PROBE_LIMIT_MS)]);
    const response = await fetch(url, { signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${url} answers ${response.status} ${text.slice(0, 200)}`);
    return true;
  };
  await waitUntil(look, { timeoutMs: READY_LIMIT_MS, message: `${name} to be ready`, signal: supervisor.signal });
}

function describeStack({ settings, secrets, databaseUrl }: Wiring, { pro, free }: Seed): DevFile {
  return {
    apiUrl: apiUrl(settings),
    internalUrl: internalUrl(settings),
    dashboardUrl: `${apiUrl(settings)}/dashboard`,
    edgeHttpUrl: `http://127.0.0.1:${settings.EDGE_HTTP_PORT}`,
    edgeHttpsUrl: `https://127.0.0.1:${settings.EDGE_HTTPS_PORT}`,
    dnsControlUrl: usesDevDns(settings) ? `http://127.0.0.1:${settings.DEV_DNS_CONTROL_PORT}` : null,
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
