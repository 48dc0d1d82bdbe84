/**
 * Checks of the services that `npm start` needs and does not start itself, run before anything is started: a wrong setting
 * is then one line, and not a minute of processes that cannot connect.
 */
import { Resolver } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Settings } from './settings.js';

const CONNECT_LIMIT_MS = 5_000;
/** A packet may be lost. */
const DNS_TRIES = 2;
const DNS_TRY_LIMIT_MS = 1_000;
/** Codes of a resolver that does not answer, or not at this address; all others are its answers. */
const unanswered = new Set([
  'ECONNREFUSED',
  'ETIMEOUT',
  'ERR_INVALID_IP_ADDRESS',
  'EADDRNOTAVAIL',
  'ENETUNREACH',
  'EHOSTUNREACH',
]);
/** A new database takes 40 MB, and its log grows to more than that in a first start. */
const SMALLEST_DISK_BYTES = 256 * 1_024 * 1_024;

/** @throws Error that names the setting and says what is wrong, in one line */
export async function assertServicesUsable(
  settings: Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'REDIS_URL' | 'DNS_RESOLVERS' | 'ACME_DIRECTORY_URLS'>,
): Promise<void> {
  const { DATA_DIR, DATABASE_URL, REDIS_URL, DNS_RESOLVERS = [], ACME_DIRECTORY_URLS = [] } = settings;
  await assertWritable(DATA_DIR);
  if (DATABASE_URL !== undefined)
    await naming('DATABASE_URL', `PostgreSQL at ${hostOf(DATABASE_URL)}`, () => tryPostgres(DATABASE_URL));
  if (REDIS_URL !== undefined) await naming('REDIS_URL', `Redis at ${hostOf(REDIS_URL)}`, () => tryRedis(REDIS_URL));
  for (const server of DNS_RESOLVERS)
    await naming('DNS_RESOLVERS', `the resolver ${server}`, () => tryResolver(server));
  for (const url of ACME_DIRECTORY_URLS)
    await naming('ACME_DIRECTORY_URLS', `the CA at ${url}`, () => tryDirectory(url));
}

async function assertWritable(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${process.pid}`);
  const free = await naming('DATA_DIR', folder, async () => {
    await makeFolder(folder);
    await writeFile(probe, 'x');
    await rm(probe);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  });
  if (free < SMALLEST_DISK_BYTES)
    throw new Error(
      `DATA_DIR: ${folder} has ${megabytes(free)} MB left, and at least ${megabytes(SMALLEST_DISK_BYTES)} are needed`,
    );
}

/** Node’s own recursive `mkdir` never ends below `/proc`, where a folder that exists says that it does not. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // of a system call
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await makeFolder(folder);
  }
}

async function tryPostgres(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  client.on('error', () => undefined); // of a connection that breaks later: the attempt has its result
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    // A server that has accepted and says nothing would be waited for.
    client.end().catch(() => undefined);
  }
}

async function tryRedis(url: string): Promise<void> {
  let reason: Error | null = null;
  const limits = { connectTimeout: CONNECT_LIMIT_MS, commandTimeout: CONNECT_LIMIT_MS, maxRetriesPerRequest: 0 };
  const client = new Redis(url, { ...limits, lazyConnect: true, retryStrategy: () => null });
  client.on('error', (error: Error) => (reason ??= error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    throw reason ?? error; // the first error is the cause, and the one thrown often only says that the connection is closed
  } finally {
    client.disconnect();
  }
}

async function tryResolver(server: string): Promise<void> {
  const resolver = new Resolver({ timeout: DNS_TRY_LIMIT_MS, tries: DNS_TRIES });
  try {
    resolver.setServers([server]);
    await resolver.resolveNs('.');
  } catch (error) {
    if (unanswered.has((error as NodeJS.ErrnoException).code ?? '')) throw error; // of node:dns
  }
}

async function tryDirectory(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
  if (!response.ok) throw new Error(`it answers ${response.status}`);
  const directory: unknown = await response.json().catch(() => null);
  if (typeof directory !== 'object' || directory === null || !('newOrder' in directory))
    throw new Error('its answer is no ACME directory');
}

async function naming<T>(setting: string, what: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw new Error(`${setting}: ${what} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

/** In one line. Several addresses of a name fail with an error that has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  // `fetch failed`, for a reason of its own.
  if (error instanceof TypeError && error.cause instanceof Error) return reasonOf(error.cause);
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? text;
}

/** Returns the host without the password. */
function hostOf(url: string): string {
  return new URL(url).host;
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / (1_024 * 1_024));
}
