import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { issuePlatformCertificate } from '@pets/testing/dev-ca';
import type { Balancer } from './balancer.js';
import { PLATFORM_DOMAIN, type ReplicaServices } from './replica-services.js';

type Environment = Readonly<Record<string, string>>;

/** The environment of each service. */
export interface Settings {
  /** Under its name in the database, so that a trigger knows who wrote. */
  api(name: string): Environment;
  readonly worker: Environment;
  edge(ports: { readonly httpPort: number; readonly httpsPort: number }): Environment;
}

export interface SettingsOptions {
  readonly folder: string;
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly balancers: { readonly http: Balancer; readonly https: Balancer };
  readonly services: ReplicaServices;
  /** For all services. */
  readonly environment: Environment;
}

export async function makeSettings(options: SettingsOptions): Promise<Settings> {
  const { folder, apiUrl, databaseUrl, redisUrl, balancers, services, environment } = options;
  const inherited = { PATH: process.env['PATH'] ?? '' };
  const common = { ...inherited, HOST: '127.0.0.1', LOG_LEVEL: 'warn', PLATFORM_DOMAIN, ...environment };
  const shared = {
    CERTIFICATE_KEKS: `k1:${randomBytes(32).toString('base64')}`,
    EDGE_TOKEN: randomBytes(32).toString('hex'),
    STORAGE_URL: pathToFileURL(join(folder, 'deployments')).href,
    PUBLIC_HTTPS_PORT: String(balancers.https.port),
  };
  const ca = { ACME_DIRECTORY_URLS: services.ca.directoryUrl, ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' };
  const queues = {
    QUEUE_KEYS_JOBS: `j1:${randomBytes(32).toString('base64')}`,
    QUEUE_KEYS_EVENTS: `e1:${randomBytes(32).toString('base64')}`,
  };
  const api = {
    ...queues,
    ...{ ...common, ...shared, ...ca, PUBLIC_URL: apiUrl, REDIS_URL: redisUrl, ENVIRONMENT: 'development' },
    ...{ APP_SECRET: randomBytes(32).toString('hex'), ALLOW_SPECIAL_USE_NAMES: 'true', RATE_LIMIT_PER_MINUTE: '0' },
  };
  const platform = await issuePlatformCertificate(services.ca.authority, [`*.${PLATFORM_DOMAIN}`, PLATFORM_DOMAIN]);
  return {
    api: (name) => ({ ...api, DATABASE_URL: `${databaseUrl}?application_name=${name}` }),
    worker: {
      ...queues,
      ...{ ...common, ...ca, REDIS_URL: redisUrl, ACME_ACCOUNT_KEY: makeAccountKey() },
      ...{ DNS_RESOLVERS: services.dns.address, HTTP01_PORT: String(balancers.http.port) },
    },
    edge: ({ httpPort, httpsPort }) => ({
      ...{
        ...common,
        ...shared,
        API_URL: apiUrl,
        EDGE_MAX_CONNECTIONS_PER_ADDRESS: '0',
        EDGE_HANDSHAKES_PER_ADDRESS: '0',
        EDGE_ALLOW_PRIVATE_ORIGINS: 'true',
      },
      ...{ PLATFORM_CERTIFICATE: platform.certificatePem, PLATFORM_KEY: platform.privateKeyPem },
      ...{ EDGE_HTTP_PORT: String(httpPort), EDGE_HTTPS_PORT: String(httpsPort) },
    }),
  };
}

function makeAccountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
