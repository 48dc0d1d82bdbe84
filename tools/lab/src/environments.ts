import { generateKeyPairSync, randomBytes } from 'node:crypto';

export type Environment = Readonly<Record<string, string>>;

export const PLATFORM_DOMAIN = 'pets.localhost';

/** Addresses of the servers that the processes use. */
export interface Addresses {
  readonly databaseUrl: string;
  /** URLs for pets-api and for domains-worker; without them, the queues are in the database. */
  readonly redisUrls?: { readonly api: string; readonly worker: string };
  readonly directoryUrl: string;
  readonly resolver: string;
  readonly storage: Environment;
}

/** The secrets of a stack, which its processes share. */
export interface StackSecrets {
  readonly queues: Environment;
  readonly api: { readonly APP_SECRET: string; readonly CERTIFICATE_KEKS: string; readonly EDGE_TOKEN: string };
  readonly accountKey: string;
}

export function makeSecrets(): StackSecrets {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    queues: {
      QUEUE_KEYS_JOBS: `j1:${randomBytes(32).toString('base64')}`,
      QUEUE_KEYS_EVENTS: `e1:${randomBytes(32).toString('base64')}`,
    },
    api: {
      APP_SECRET: randomBytes(32).toString('base64url'),
      CERTIFICATE_KEKS: `lab:${randomBytes(32).toString('base64')}`,
      EDGE_TOKEN: randomBytes(16).toString('hex'),
    },
    accountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const everywhere = { NODE_ENV: 'production', LOG_LEVEL: 'warn' };

export function apiEnvironment(secrets: StackSecrets, at: Addresses): Environment {
  return {
    ...everywhere,
    ...secrets.queues,
    ...secrets.api,
    ENVIRONMENT: 'development',
    HOST: '127.0.0.1',
    DATABASE_URL: at.databaseUrl,
    ...(at.redisUrls !== undefined && { REDIS_URL: at.redisUrls.api }),
    ACME_DIRECTORY_URLS: at.directoryUrl,
    PLATFORM_DOMAIN,
    ...at.storage,
    RATE_LIMIT_PER_MINUTE: '0',
  };
}

export function workerEnvironment(secrets: StackSecrets, at: Addresses): Environment {
  return {
    ...everywhere,
    ...secrets.queues,
    ...(at.redisUrls === undefined ? { DATABASE_URL: at.databaseUrl } : { REDIS_URL: at.redisUrls.worker }),
    ACME_DIRECTORY_URLS: at.directoryUrl,
    ACME_ACCOUNT_KEY: secrets.accountKey,
    DNS_RESOLVERS: at.resolver,
  };
}

/** Ports and data folder of an edge. */
export interface EdgePlace {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly dataFolder: string;
}

/**
 * The environment of an edge without `API_URL`.
 * @param given `EDGE_TOKEN`, `CERTIFICATE_KEKS`, the storage and the certificate of the platform
 */
export function edgeEnvironment(given: Environment, { httpPort, httpsPort, dataFolder }: EdgePlace): Environment {
  return {
    ...everywhere,
    HOST: '127.0.0.1',
    EDGE_HTTP_PORT: String(httpPort),
    EDGE_HTTPS_PORT: String(httpsPort),
    PLATFORM_DOMAIN,
    ...given,
    EDGE_DATA_DIR: dataFolder,
    EDGE_PROCESSES: '2',
    ADVERTISED_HTTP_ADDRESS: `127.0.0.1:${httpPort}`,
    ADVERTISED_HTTPS_ADDRESS: `127.0.0.1:${httpsPort}`,
  };
}
