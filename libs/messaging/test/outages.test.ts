import { describe, expect, it } from '@jest/globals';
import { describeWhen, freePort, isInstalled, startTestPostgres, startTestProcess, waitUntil } from '@pets/testing';
import { Client } from 'pg';
import { migrateMessaging, openMessaging, type Messaging } from '../src/index.js';
import { noJobs, probe, served, silentLog } from './fixtures.js';

const withoutRedis = isInstalled('redis-server') ? null : 'redis-server is not installed';

function startRedisOn(port: number) {
  const args = ['--port', String(port), '--save', '', '--appendonly', 'no'];
  return startTestProcess({ name: 'redis-server', command: 'redis-server', args, port });
}

/** Domain ids of the probes it has worked on. */
function takeProbes(messaging: Messaging): string[] {
  const seen: string[] = [];
  messaging.processJobs(
    { ...noJobs, 'probe-edge': async (payload) => void seen.push(payload.domainId) },
    { concurrency: 1 },
  );
  return seen;
}

/** Adds one and waits until it has been worked on; what could not be added yet is added again. */
async function passThrough(messaging: Messaging, seen: string[]): Promise<void> {
  const job = probe();
  await waitUntil(() => messaging.jobs.addBulk([{ name: 'probe-edge', payload: job }]).then(() => true));
  await waitUntil(() => seen.includes(job.domainId));
}

describe('messaging without its store', () => {
  it.each([
    ['Redis', { redisUrl: 'redis://127.0.0.1:1' }],
    ['PostgreSQL', { databaseUrl: 'postgres://postgres@127.0.0.1:1/none' }],
  ])('refuses to emit, is not ready and closes in time: %s', async (_store, settings) => {
    const messaging = openMessaging({ ...settings, log: silentLog });
    messaging.processJobs(noJobs, { concurrency: 1 });
    await expect(messaging.events.emit('certificate.served', served())).rejects.toThrow();
    expect(await messaging.ready()).toBe(false);
    await messaging.close();
  });

  it('is not ready, and starts no worker, before its tables are there', async () => {
    const postgres = await startTestPostgres();
    const messaging = openMessaging({ databaseUrl: postgres.url, log: silentLog });
    const seen = takeProbes(messaging);
    expect(await messaging.ready()).toBe(false);
    await expect(messaging.jobs.waitingCount()).rejects.toThrow('not initialized');
    await migrateMessaging({ databaseUrl: postgres.url });
    await passThrough(messaging, seen);
    await messaging.close();
    await postgres.stop();
  }, 30_000);
});

describe('messaging whose connections are lost', () => {
  it('goes on when PostgreSQL has cut every one of them', async () => {
    const postgres = await startTestPostgres();
    await migrateMessaging({ databaseUrl: postgres.url });
    const messaging = openMessaging({ databaseUrl: postgres.url, log: silentLog });
    const seen = takeProbes(messaging);
    await passThrough(messaging, seen);

    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
    );
    await client.end();
    await passThrough(messaging, seen);
    await messaging.close();
    await postgres.stop();
  }, 30_000);
});

describeWhen(describe, 'messaging whose Redis comes and goes', withoutRedis, () => {
  it('takes jobs once it has come up, and again after a restart', async () => {
    const port = await freePort();
    const messaging = openMessaging({ redisUrl: `redis://127.0.0.1:${port}`, log: silentLog });
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
  }, 30_000);
});
