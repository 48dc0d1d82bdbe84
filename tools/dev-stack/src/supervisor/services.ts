/**
 * Settings of each process. A service is given what it needs and nothing else of our environment: a secret
 * it does not hold it cannot leak.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ZONE_SERVER_ADDRESSES } from '@pets/testing/dev-dns';
import { repositoryRoot, type ChildSpec, type ReadySpec } from '@pets/testing/processes';
import type { Secrets } from './secrets.js';
import type { Settings } from './settings.js';

/** Order of stopping: no process must lose what it still works with. */
const stopRanks = { edge: 0, task: 0, 'pets-api': 1, 'domains-worker': 2, 'dev-ca': 3, 'dev-dns': 3 } as const;

const STOP_LIMIT_MS = 10_000;

const programs = {
  'pets-api': 'apps/pets-api/dist/main.js',
  'domains-worker': 'apps/domains-worker/dist/main.js',
  edge: 'apps/edge/dist/main.js',
  'dev-dns': 'tools/dev-stack/dist/dev-dns/main.js',
  'dev-ca': 'tools/dev-stack/dist/dev-ca/main.js',
  migrate: 'apps/pets-api/dist/migrate.js',
  admin: 'apps/pets-api/dist/admin.js',
} as const;

/** Compiled once for all processes that load the same file, and for later starts. */
const COMPILED_CODE = join(repositoryRoot, 'node_modules/.cache/compiled');

type Program = keyof typeof programs;

/** Facts that are known once the database and the ports are. */
export type Wiring = {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly databaseUrl: string;
  readonly workerHealthPort: number;
  readonly edgeHealthPort: number;
  /** Origin of the dashboard in browsers, if not the API. */
  readonly dashboardOrigin?: string | undefined;
};

function acmeDirectoryUrls(settings: Settings): string {
  return settings.ACME_DIRECTORY_URLS?.join(',') ?? `http://127.0.0.1:${settings.DEV_ACME_PORT}/directory`;
}

function resolvers(settings: Settings): string {
  return settings.DNS_RESOLVERS?.join(',') ?? `127.0.0.1:${settings.DEV_DNS_PORT}`;
}

/** Addresses of the two servers of a zone of the development DNS server. */
function zoneServers({ DEV_DNS_PORT, DEV_DNS_SECOND_PORT }: Settings): string {
  return [DEV_DNS_PORT, DEV_DNS_SECOND_PORT]
    .map((port, index) => `${ZONE_SERVER_ADDRESSES[index]}=127.0.0.1:${port}`)
    .join(',');
}

/** The zone of challenges and its primary name server: the development DNS server, or those given; null for none. */
function challengeZone(settings: Settings): { readonly zone: string; readonly server: string } | null {
  const { ACME_DNS_ZONE: zone, ACME_DNS_SERVER: server } = settings;
  if (zone !== undefined && server !== undefined) return { zone, server };
  if (settings.DNS_RESOLVERS !== undefined) return null;
  return { zone: `acme.${settings.PLATFORM_DOMAIN}`, server: `127.0.0.1:${settings.DEV_DNS_PORT}` };
}

/** Whether the command `pets` is built, which `npm run dev` does not need. */
export function hasCommand(): boolean {
  return existsSync(join(repositoryRoot, 'apps/cli/dist/main.js'));
}

/** @throws Error naming the first program that is not built */
export function assertBuilt(): void {
  for (const path of Object.values(programs)) {
    if (!existsSync(join(repositoryRoot, path))) throw new Error(`${path} is missing: run "npm run build"`);
  }
}

export function devDnsSpec(settings: Settings, secrets: Secrets): ReadySpec {
  const zone = settings.ACME_DNS_SERVER === undefined ? challengeZone(settings)?.zone : undefined;
  const env = {
    ...(zone !== undefined && { ACME_DNS_ZONE: zone, ...secrets.envOf('ACME_DNS_TSIG_KEY') }),
    DEV_DNS_PORT: String(settings.DEV_DNS_PORT),
    DEV_DNS_SECOND_PORT: String(settings.DEV_DNS_SECOND_PORT),
    DEV_DNS_CONTROL_PORT: String(settings.DEV_DNS_CONTROL_PORT),
    DEV_DNS_FILE: join(settings.DATA_DIR, 'dev-dns.json'),
    PLATFORM_DOMAIN: settings.PLATFORM_DOMAIN,
  };
  return { ...specOf('dev-dns', settings, env), readyUrl: `http://127.0.0.1:${settings.DEV_DNS_CONTROL_PORT}/records` };
}

export function devCaSpec(settings: Settings): ReadySpec {
  const env = {
    DEV_ACME_PORT: String(settings.DEV_ACME_PORT),
    DEV_CA_DIR: join(settings.DATA_DIR, 'dev-ca'),
    DNS_RESOLVERS: resolvers(settings),
    HTTP01_PORT: String(settings.EDGE_HTTP_PORT),
  };
  return { ...specOf('dev-ca', settings, env), readyUrl: `http://127.0.0.1:${settings.DEV_ACME_PORT}/directory` };
}

export function migrateSpec(wiring: Wiring): ChildSpec {
  return specOf('migrate', wiring.settings, apiEnv(wiring));
}

export function adminSpec(wiring: Wiring, args: readonly string[]): ChildSpec {
  return specOf('admin', wiring.settings, apiEnv(wiring), args);
}

export function petsApiSpec(wiring: Wiring): ReadySpec {
  return {
    ...specOf('pets-api', wiring.settings, apiEnv(wiring)),
    readyUrl: `${apiUrl(wiring.settings)}/readyz`,
  };
}

export function domainsWorkerSpec({ settings, secrets, databaseUrl, workerHealthPort }: Wiring): ReadySpec {
  const challenges = challengeZone(settings);
  const env = {
    // The queues alone: where there is a Redis, the worker is not given the database at all.
    ...(settings.REDIS_URL === undefined ? { DATABASE_URL: databaseUrl } : { REDIS_URL: settings.REDIS_URL }),
    ...queueKeys(secrets),
    DNS_RESOLVERS: resolvers(settings),
    ...(settings.DNS_RESOLVERS === undefined && {
      DNS_RESOLVERS_HOLD_ZONES: 'true',
      DNS_AUTHORITATIVE_ADDRESSES: zoneServers(settings),
    }),
    ACME_DIRECTORY_URLS: acmeDirectoryUrls(settings),
    ...secrets.envOf('ACME_ACCOUNT_KEY'),
    ...given({
      ACME_CONTACT: settings.ACME_CONTACT,
      ACME_EAB: settings.ACME_EAB,
      ACME_CAA_IDENTITIES: settings.ACME_CAA_IDENTITIES,
    }),
    ...(challenges !== null && {
      ACME_DNS_SERVER: challenges.server,
      ACME_DNS_ZONE: challenges.zone,
      ...secrets.envOf('ACME_DNS_TSIG_KEY'),
    }),
    HTTP01_PORT: String(settings.EDGE_HTTP_PORT),
    ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true',
    HEALTH_PORT: String(workerHealthPort),
  };
  return { ...specOf('domains-worker', settings, env), readyUrl: readyUrlAt(workerHealthPort) };
}

export function edgeSpec({ settings, secrets, edgeHealthPort }: Wiring): ReadySpec {
  const env = {
    HOST: '127.0.0.1',
    EDGE_HTTP_PORT: String(settings.EDGE_HTTP_PORT),
    EDGE_HTTPS_PORT: String(settings.EDGE_HTTPS_PORT),
    API_URL: internalUrl(settings),
    ...secrets.envOf('EDGE_TOKEN'),
    ...secrets.envOf('CERTIFICATE_KEKS'),
    PLATFORM_DOMAIN: settings.PLATFORM_DOMAIN,
    ...(!settings.ISSUE_PLATFORM_CERTIFICATE && {
      ...secrets.envOf('PLATFORM_CERTIFICATE'),
      ...secrets.envOf('PLATFORM_KEY'),
    }),
    STORAGE_URL: storageUrl(settings),
    EDGE_DATA_DIR: join(settings.DATA_DIR, 'edge'),
    EDGE_PROCESSES: '1',
    EDGE_ALLOW_PRIVATE_ORIGINS: 'true',
    ADVERTISED_HTTP_ADDRESS: `127.0.0.1:${settings.EDGE_HTTP_PORT}`,
    ADVERTISED_HTTPS_ADDRESS: `127.0.0.1:${settings.EDGE_HTTPS_PORT}`,
    PUBLIC_HTTPS_PORT: String(settings.EDGE_HTTPS_PORT),
    ...given({ EDGE_MAX_STALENESS: settings.EDGE_MAX_STALENESS }),
    HEALTH_PORT: String(edgeHealthPort),
  };
  return { ...specOf('edge', settings, env), readyUrl: readyUrlAt(edgeHealthPort) };
}

function readyUrlAt(healthPort: number): string {
  return `http://127.0.0.1:${healthPort}/readyz`;
}

export function apiUrl(settings: Settings): string {
  return `http://127.0.0.1:${settings.PETS_API_PORT}`;
}

export function internalUrl(settings: Settings): string {
  return `http://127.0.0.1:${settings.PETS_API_INTERNAL_PORT}`;
}

function apiEnv({ settings, secrets, databaseUrl, dashboardOrigin }: Wiring): Record<string, string> {
  return {
    ENVIRONMENT: 'development',
    HOST: '127.0.0.1',
    PORT: String(settings.PETS_API_PORT),
    INTERNAL_PORT: String(settings.PETS_API_INTERNAL_PORT),
    PUBLIC_URL: apiUrl(settings),
    PUBLIC_HTTPS_PORT: String(settings.EDGE_HTTPS_PORT),
    DATABASE_URL: databaseUrl,
    ...given({ REDIS_URL: settings.REDIS_URL }),
    ...queueKeys(secrets),
    ...secrets.envOf('APP_SECRET'),
    ...secrets.envOf('CERTIFICATE_KEKS'),
    ...secrets.envOf('EDGE_TOKEN'),
    PLATFORM_DOMAIN: settings.PLATFORM_DOMAIN,
    ISSUE_PLATFORM_CERTIFICATE: String(settings.ISSUE_PLATFORM_CERTIFICATE),
    STORAGE_URL: storageUrl(settings),
    ACME_DIRECTORY_URLS: acmeDirectoryUrls(settings),
    ALLOW_SPECIAL_USE_NAMES: 'true',
    ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true',
    RATE_LIMIT_PER_MINUTE: '0',
    ...given({
      DASHBOARD_ORIGIN: dashboardOrigin,
      GATEWAY_TOKEN: settings.GATEWAY_TOKEN,
      ACME_LIMITS: settings.ACME_LIMITS,
      ACME_PROFILE: settings.ACME_PROFILE,
      ACME_DNS_ZONE: challengeZone(settings)?.zone,
      REVERIFY_AFTER: settings.REVERIFY_AFTER,
      PREPARE_MAX_DAYS: settings.PREPARE_MAX_DAYS,
      PLAN_GRACE_DAYS: settings.PLAN_GRACE_DAYS,
      EDGE_MAX_STALENESS: settings.EDGE_MAX_STALENESS,
      OIDC_ISSUER_URL: settings.OIDC_ISSUER_URL,
      OIDC_CLIENT_ID: settings.OIDC_CLIENT_ID,
      OIDC_CLIENT_SECRET: settings.OIDC_CLIENT_SECRET,
      OIDC_NAME: settings.OIDC_NAME,
      OIDC_SCOPES: settings.OIDC_SCOPES,
      OIDC_ORGANIZATION_CLAIM: settings.OIDC_ORGANIZATION_CLAIM,
      OIDC_ROLE_CLAIM: settings.OIDC_ROLE_CLAIM,
      OIDC_DEFAULT_ROLE: settings.OIDC_DEFAULT_ROLE,
      OIDC_SIGN_OUT: settings.OIDC_SIGN_OUT,
    }),
  };
}

/** The same at both ends of the queues. */
function queueKeys(secrets: Secrets): Record<string, string> {
  return { ...secrets.envOf('QUEUE_KEYS_JOBS'), ...secrets.envOf('QUEUE_KEYS_EVENTS') };
}

function storageUrl(settings: Settings): string {
  return pathToFileURL(join(settings.DATA_DIR, 'deployments')).href;
}

function specOf(
  program: Program,
  settings: Settings,
  env: Record<string, string>,
  args: readonly string[] = [],
): ChildSpec {
  const rank = program === 'migrate' || program === 'admin' ? 'task' : program;
  return {
    name: program,
    command: process.execPath,
    args: [
      ...(program === settings.DEBUG_SERVICE ? [`--inspect=127.0.0.1:${settings.DEBUG_PORT}`] : []),
      join(repositoryRoot, programs[program]),
      ...args,
    ],
    env: {
      ...given({
        PATH: settings.PATH,
        HOME: settings.HOME,
        TZ: settings.TZ,
        LOG_LEVEL: settings.LOG_LEVEL,
        NODE_EXTRA_CA_CERTS: settings.NODE_EXTRA_CA_CERTS,
        OTEL_EXPORTER_OTLP_ENDPOINT: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
      }),
      NODE_COMPILE_CACHE: COMPILED_CODE,
      ...env,
    },
    cwd: repositoryRoot,
    stopSignals: ['SIGTERM'],
    stopTimeoutMs: STOP_LIMIT_MS,
    stopRank: stopRanks[rank],
  };
}

function given(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
