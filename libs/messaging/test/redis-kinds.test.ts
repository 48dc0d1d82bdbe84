import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  describeWhen,
  freePort,
  isInstalled,
  startServiceProcess,
  waitUntil,
  type ServiceProcess,
  testAuthentication,
} from '@pets/testing';
import { Redis } from 'ioredis';
import { openMessaging } from '../src/index.js';
import { noJobs, probe, silentLog } from './fixtures.js';

const withoutRedis = isInstalled('redis-server') ? null : 'redis-server is not installed';

describeWhen(describe, 'messaging on every kind of Redis', withoutRedis, () => {
  let folder: string;
  let servers: ServiceProcess[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pets-test-redis-'));
    servers = [];
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  async function startServer(port: number, lines: readonly string[], ...args: readonly string[]): Promise<void> {
    const file = join(folder, `${port}.conf`);
    await writeFile(file, [`port ${port}`, `dir ${folder}`, 'bind 127.0.0.1', ...lines].join('\n'));
    servers.push(await startServiceProcess({ name: 'redis', command: 'redis-server', args: [file, ...args], port }));
  }

  async function expectJobsToPass(redisUrl: string): Promise<void> {
    const messaging = openMessaging({ redisUrl, authentication: testAuthentication, log: silentLog });
    const seen: string[] = [];
    messaging.processJobs(
      { ...noJobs, 'probe-edge': async (payload) => void seen.push(payload.domainId) },
      { lane: 'checks', concurrency: 2 },
    );
    const job = probe();
    await waitUntil(() => messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: job }]).then(() => true));
    await waitUntil(() => seen.includes(job.domainId));
    expect(await messaging.ready()).toBe(true);
    await messaging.close();
  }

  it('takes jobs through a sentinel', async () => {
    const [master, sentinel] = [await freePort(), await freePort()];
    await startServer(master, ['save ""']);
    await startServer(sentinel, [`sentinel monitor main 127.0.0.1 ${master} 1`], '--sentinel');
    await expectJobsToPass(`redis-sentinel://127.0.0.1:${sentinel}/main`);
  });

  it('takes jobs in a cluster', async () => {
    const ports = [await freePort(), await freePort()] as const;
    // The bus of a cluster has a port of its own, else it would be 10 000 above and perhaps out of range.
    for (const port of ports)
      await startServer(port, [
        'save ""',
        'cluster-enabled yes',
        `cluster-config-file ${port}.nodes`,
        `cluster-port ${await freePort()}`,
      ]);
    const [first, second] = ports.map((port) => new Redis(port)) as [Redis, Redis]; // as many as ports
    await first.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8000');
    await second.call('CLUSTER', 'ADDSLOTSRANGE', '8001', '16383');
    const bus = /@(\d+)/.exec(String(await second.call('CLUSTER', 'NODES')))?.[1] ?? '';
    await first.call('CLUSTER', 'MEET', '127.0.0.1', String(ports[1]), bus);
    await waitUntil(async () => String(await first.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    await waitUntil(async () => String(await second.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    first.disconnect();
    second.disconnect();
    await expectJobsToPass(`redis-cluster://127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}`);
  });

  it.each([
    ['reveals its policy', []],
    ['forbids CONFIG', ['rename-command CONFIG ""']],
  ])('refuses a Redis that may evict keys and %s, and says how to fix it', async (_case, lines) => {
    const port = await freePort();
    await startServer(port, ['maxmemory-policy allkeys-lru', ...lines]);
    const logged: string[] = [];
    const record = (fields: object) => void logged.push('err' in fields ? String(fields.err) : '');
    const messaging = openMessaging({
      redisUrl: `redis://127.0.0.1:${port}`,
      authentication: testAuthentication,
      log: { ...silentLog, warn: record, error: record },
    });
    messaging.processJobs(noJobs, { lane: 'checks', concurrency: 1 });
    await waitUntil(() => logged.some((line) => line.includes('CONFIG SET maxmemory-policy noeviction')));
    expect(await messaging.ready()).toBe(false);
    await expect(messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: probe() }])).rejects.toThrow('evict');
    await messaging.close();
  });

  it('accepts a Redis once its policy is fixed, without a restart', async () => {
    const port = await freePort();
    await startServer(port, ['maxmemory-policy volatile-ttl']);
    const messaging = openMessaging({
      redisUrl: `redis://127.0.0.1:${port}`,
      authentication: testAuthentication,
      log: silentLog,
    });
    expect(await messaging.ready()).toBe(false);
    const redis = new Redis(port);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    redis.disconnect();
    await waitUntil(() => messaging.ready());
    await messaging.close();
  });
});
