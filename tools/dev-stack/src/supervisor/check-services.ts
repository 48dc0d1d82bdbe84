/**
 * What `npm start` needs and does not start itself, tried before anything is started: a wrong setting is then one line, and
 * not a minute of processes that cannot connect.
 */
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Settings } from './settings.js';

const CONNECT_LIMIT_MS = 5_000;
/** A new database takes 40 MB, and its log grows to more than that in a first start. */
const SMALLEST_DISK_BYTES = 256 * 1_024 * 1_024;

/** @throws Error that names the setting and says what is wrong, in one line */
export async function assertServicesUsable(
  settings: Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'REDIS_URL'>,
): Promise<void> {
  const { DATA_DIR, DATABASE_URL, REDIS_URL } = settings;
  await assertWritable(DATA_DIR);
  if (DATABASE_URL !== undefined)
    await naming('DATABASE_URL', `PostgreSQL at ${hostOf(DATABASE_URL)}`, () => tryPostgres(DATABASE_URL));
  if (REDIS_URL !== undefined) await naming('REDIS_URL', `Redis at ${hostOf(REDIS_URL)}`, () => tryRedis(REDIS_URL));
}

async function assertWritable(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${process.pid}`);
  const free = await naming('DATA_DIR', folder, async () => {
    await mkdir(folder, { recursive: true });
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
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? text;
}

/** Without the password. */
function hostOf(url: string): string {
  return new URL(url).host;
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / (1_024 * 1_024));
}
