import { describe, expect, it } from '@jest/globals';
import {
  describeWhen,
  freePort,
  isInstalled,
  startTcpProxy,
  startTestPostgres,
  startServiceProcess,
  startTestRedis,
  waitUntil,
  testAuthentication,
} from '@pets/testing';
import { Client } from 'pg';
import { openMessaging, type Messaging } from '../src/index.js';
import { migrateMessaging } from '../src/migrate.js';
import { noJobs, probe, served, silentLog } from './fixtures.js';

const withoutRedis = isInstalled('redis-server') ? null : 'redis-server is not installed';

function startRedisOn(port: number) {
  const args = ['--port', String(port), '--save', '', '--appendonly', 'no'];
  return startServiceProcess({ name: 'redis-server', command: 'redis-server', args, port });
}

/** Consumes probes and returns the ids of their domains. */
function takeProbes(messaging: Messaging): string[] {
  const seen: string[] = [];
  messaging.processJobs(
    { ...noJobs, 'probe-edge': async (payload) => void seen.push(payload.domainId) },
    { lane: 'checks', concurrency: 1 },
  );
  return seen;
}

/** Adds a job, with retries, and waits until it was consumed. */
async function passThrough(messaging: Messaging, seen: string[]): Promise<void> {
  const job = probe({ leaseUntil: new Date(Date.now() + 60_000).toISOString() });
  const limit = { timeoutMs: 40_000 };
  await waitUntil(() => messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: job }]).then(() => true), limit);
  await waitUntil(() => seen.includes(job.domainId), limit);
}

describe('messaging without a store', () => {
  it.each([
    ['Redis', { redisUrl: 'redis://127.0.0.1:1' }],
    ['PostgreSQL', { databaseUrl: 'postgres://postgres@127.0.0.1:1/none' }],
  ])('refuses to emit, is not ready and closes in time without %s', async (_store, settings) => {
    const messaging = openMessaging({ ...settings, authentication: testAuthentication, log: silentLog });
    messaging.processJobs(noJobs, { lane: 'checks', concurrency: 1 });
    await expect(messaging.events.emit('certificate.served', served())).rejects.toThrow();
    expect(await messaging.ready()).toBe(false);
    await messaging.close();
  });

  it('is not ready and starts no worker before its tables exist', async () => {
    const postgres = await startTestPostgres();
    const messaging = openMessaging({ databaseUrl: postgres.url, authentication: testAuthentication, log: silentLog });
    const seen = takeProbes(messaging);
    expect(await messaging.ready()).toBe(false);
    await expect(messaging.jobs.checks.waitingCount()).rejects.toThrow('not initialized');
    await migrateMessaging({ databaseUrl: postgres.url });
    await passThrough(messaging, seen);
    await messaging.close();
    await postgres.stop();
  });
});

describe('messaging after lost connections', () => {
  it('recovers when PostgreSQL has closed every connection', async () => {
    const postgres = await startTestPostgres();
    await migrateMessaging({ databaseUrl: postgres.url });
    const messaging = openMessaging({ databaseUrl: postgres.url, authentication: testAuthentication, log: silentLog });
    const seen = takeProbes(messaging);
    await passThrough(messaging, seen);

    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    await client.end();
    await passThrough(messaging, seen);
    await messaging.close();
    await postgres.stop();
  });
});

const stores = [
  ['Redis', withoutRedis, startTestRedis, (url: string) => ({ redisUrl: url })],
  ['PostgreSQL', null, () => startTestPostgres(), (url: string) => ({ databaseUrl: url })],
] as const;

/** The limit of an operation while its store is silent, and an allowance for a slow machine. */
const SILENCE_LIMIT_MS = 2_000;
const SLACK_MS = 500;

for (const [store, missing, start, settings] of stores)
  describeWhen(describe, `messaging while ${store} is silent`, missing, () => {
    it('refuses operations within two seconds, and recovers afterwards', async () => {
      const service = await start();
      const url = new URL(service?.url ?? '');
      if (store === 'PostgreSQL') await migrateMessaging({ databaseUrl: url.href });
      const proxy = await startTcpProxy({ port: Number(url.port) });
      url.port = String(proxy.port);
      const messaging = openMessaging({ ...settings(url.href), authentication: testAuthentication, log: silentLog });
      const seen = takeProbes(messaging);
      await passThrough(messaging, seen);

      proxy.silence();
      const began = Date.now();
      const outcomes = await Promise.allSettled([
        messaging.events.emit('certificate.served', served()),
        messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: probe() }]),
        messaging.jobs.checks.waitingCount(),
      ]);
      expect(Date.now() - began).toBeLessThan(SILENCE_LIMIT_MS + SLACK_MS);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(await messaging.ready()).toBe(false);

      proxy.heal();
      await passThrough(messaging, seen);
      await messaging.close();
      await proxy.close();
      await service?.stop();
    });
  });

describeWhen(describe, 'messaging around a restart of Redis', withoutRedis, () => {
  it('takes jobs once Redis is up, and again after its restart', async () => {
    const port = await freePort();
    const messaging = openMessaging({
      redisUrl: `redis://127.0.0.1:${port}`,
      authentication: testAuthentication,
      log: silentLog,
    });
    const seen = takeProbes(messaging);
    expect(await messaging.ready()).toBe(false);

    const before = await startRedisOn(port);
    await passThrough(messaging, seen);
    await before.stop();
    expect(await messaging.ready()).toBe(false);

    const after = await startRedisOn(port);
    await passThrough(messaging, seen);
    await messaging.close();
    await after.stop();
  });
});
