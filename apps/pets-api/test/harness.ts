import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Type } from '@nestjs/common';
import { scopes, type ApiError, type Plan, type Scope } from '@pets/contracts';
import { messageAuthenticationOf, openMessaging, type Messaging } from '@pets/messaging';
import { openDatabase, type Database } from '@pets/persistence';
import { createLogger, loadConfig, type Logger } from '@pets/platform';
import { makeTemporaryFolder, testQueueSettings } from '@pets/testing';
import { ApiKeysRepository } from '../src/access/api-keys/api-keys.repository.js';
import { AuditLog } from '../src/access/audit/audit-log.js';
import { ApiKeysService } from '../src/access/api-keys/api-keys.service.js';
import { PrincipalCache } from '../src/access/api-keys/authenticator.js';
import type { Clock } from '../src/platform/clock.js';
import { configSchema, type Config } from '../src/platform/config.js';
import { createApp } from '../src/create-app.js';
import { OrganizationsRepository } from '../src/access/organizations/organizations.repository.js';
import { settingsOf, startMigratedPostgres, type MigratedPostgres } from './migrated-postgres.js';
import { retryingMessaging } from './platform/retrying-messaging.js';

export const EDGE_TOKEN = 'edge-token-of-the-tests';

export interface ApiResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** Exactly as it came. */
  readonly text: string;
  readonly body: Body;
}

export interface RequestOptions {
  readonly key?: string;
  /** Text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Whether it is sent again while too many others of its organization run, as clients do; by default it is. */
  readonly repeats?: boolean;
}

/** One process of pets-api. */
export interface ApiReplica {
  readonly url: string;
  /** The answer, taken for an error unless the test says what it expects. */
  request<Body = ApiError>(method: string, path: string, options?: RequestOptions): Promise<ApiResponse<Body>>;
  /** A provider of the process, by its class. */
  service<Provider>(provider: Type<Provider>): Provider;
  /** Base URL of the internal listener; undefined where `INTERNAL_PORT` is not set. */
  readonly internalUrl: string | undefined;
  /** Stops the API alone, as a signal would. */
  stopApi(): Promise<void>;
}

/** pets-api on a database of its own and a free port, with BullMQ on PostgreSQL. */
export interface TestApi extends ApiReplica {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly postgres: Pick<MigratedPostgres, 'pgbouncer'>;
  /** The worker's side of the queues. */
  readonly messaging: Messaging;
  createOrganization(plan: Plan): Promise<{ organizationId: string; key: string }>;
  /** A key as the operator makes it: with every scope and without an end, unless the test says otherwise. */
  createKey(organizationId: string, grant?: { scopes?: readonly Scope[]; expiresAt?: Date }): Promise<string>;
  /** Another replica on the same database, stopped with the first. */
  startReplica(settings?: Record<string, string>): Promise<ApiReplica>;
  close(): Promise<void>;
}

export async function startTestApi(
  settings: Record<string, string> = {},
  clock?: Clock,
  log: Logger = createLogger('pets-api-test', 'silent'),
  ownPostgres?: MigratedPostgres,
): Promise<TestApi> {
  const postgres = ownPostgres ?? (await startMigratedPostgres());
  const folder = await makeTemporaryFolder('pets-api-test-');
  const environment = {
    ENVIRONMENT: 'development',
    ...settingsOf(postgres.address),
    PUBLIC_URL: 'https://api.example',
    APP_SECRET: randomUUID() + randomUUID(),
    CERTIFICATE_KEKS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    EDGE_TOKEN,
    ...testQueueSettings,
    PLATFORM_DOMAIN: 'pets.localhost',
    STORAGE_URL: pathToFileURL(join(folder, 'deployments')).href,
    ACME_DIRECTORY_URLS: 'http://ca.test/dir',
    EDGE_MAX_STALENESS: '60',
    RATE_LIMIT_PER_MINUTE: '0',
    WRONG_KEYS_PER_MINUTE: '0',
    ...settings,
  };
  const config = loadConfig(configSchema, environment);
  const db = openDatabase({ url: postgres.url, poolSize: 4, onConnectionError: () => undefined });
  const first = await startReplica(config, log, clock);
  const replicas = [first];
  const messaging = retryingMessaging(
    openMessaging({ databaseUrl: postgres.url, authentication: messageAuthenticationOf(config), log }),
  );
  const keys = new ApiKeysService(new ApiKeysRepository(db), new PrincipalCache(), config, new AuditLog(), db);
  const createKey: TestApi['createKey'] = async (organizationId, grant) =>
    (await keys.create({ organizationId, name: 'test', scopes, expiresAt: null, ...grant })).secret;

  const create = async (plan: Plan) => {
    const organizationId = await new OrganizationsRepository(db).insert('Acme', plan);
    return { organizationId, key: await createKey(organizationId) };
  };
  // One after the other: many at once would wait for a connection for longer than it may take.
  let created: Promise<unknown> = Promise.resolve();

  return {
    ...first,
    db,
    databaseUrl: postgres.url,
    postgres,
    messaging,
    createOrganization: (plan) => {
      const organization = created.then(() => create(plan));
      created = organization.catch(() => undefined);
      return organization;
    },
    createKey,
    startReplica: async (own = {}) => {
      const replica = await startReplica(loadConfig(configSchema, { ...environment, ...own }), log, clock);
      replicas.push(replica);
      return replica;
    },
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.stopApi()));
      await messaging.close();
      await db.destroy();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startReplica(config: Config, log: Logger, clock?: Clock): Promise<ApiReplica> {
  const { app, internal, stop } = await createApp(config, log, clock);
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  await internal?.listen(0, '127.0.0.1');
  const internalAddress = internal?.server.address();
  const internalUrl = typeof internalAddress === 'object' ? `http://127.0.0.1:${internalAddress?.port}` : undefined;
  let stopped: Promise<void> | undefined;
  return {
    url,
    internalUrl,
    request: requestsTo(url),
    service: (provider) => app.get(provider, { strict: false }),
    stopApi: () => (stopped ??= stop(0)),
  };
}

function requestsTo(url: string): ApiReplica['request'] {
  return async function request<Body>(method: string, path: string, options: RequestOptions = {}) {
    const { key, body, headers, repeats = true } = options;
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    const parsed = (isJson ? JSON.parse(text) : {}) as Body & Partial<ApiError>;
    if (repeats && parsed.code === 'concurrency_limited') return request<Body>(method, path, options);
    return { status: response.status, headers: response.headers, text, body: parsed };
  };
}
