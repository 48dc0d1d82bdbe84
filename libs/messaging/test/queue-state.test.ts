import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  describeWhen,
  isInstalled,
  startTestPostgres,
  startTestRedis,
  waitUntil,
  testAuthentication,
} from '@pets/testing';
import { queues } from '@pets/contracts';
import { openMessaging, type Messaging, type QueueState } from '../src/index.js';
import { migrateMessaging } from '../src/migrate.js';
import { noJobs, probe, served, silentLog } from './fixtures.js';

const withoutRedis = isInstalled('redis-server') ? null : 'redis-server is not installed';
const stores = [
  ['Redis', withoutRedis, startTestRedis, (url: string) => ({ redisUrl: url })],
  ['PostgreSQL', null, () => startTestPostgres(), (url: string) => ({ databaseUrl: url })],
] as const;

for (const [store, missing, start, settings] of stores)
  describeWhen(describe, `the queue state on ${store}`, missing, () => {
    let service: { url: string; stop(): Promise<void> } | null;
    let messaging: Messaging;

    beforeAll(async () => {
      service = await start();
      const url = service?.url ?? '';
      if (store === 'PostgreSQL') await migrateMessaging({ databaseUrl: url });
      messaging = openMessaging({ ...settings(url), authentication: testAuthentication, log: silentLog });
      await waitUntil(() => messaging.ready());
    });
    afterAll(async () => {
      await messaging.close();
      await service?.stop();
    });

    const jobsState = async (): Promise<QueueState | undefined> =>
      (await messaging.queueStates()).find(({ queue }) => queue === 'domain-checks');

    it('includes every queue, empty ones too', async () => {
      const none = { jobs: { waiting: 0, active: 0, delayed: 0, failed: 0 }, oldestWaitingMs: 0 };
      const states = await messaging.queueStates();
      expect(states).toHaveLength(Object.keys(queues).length);
      for (const state of states) expect(state).toMatchObject(none);
    });

    it('has the number of waiting jobs and the age of the oldest', async () => {
      await messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: probe() }]);
      await waitUntil(async () => ((await jobsState())?.oldestWaitingMs ?? 0) >= 50);
      await messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: probe() }]);
      const state = await jobsState();
      expect(state?.jobs).toEqual({ waiting: 2, active: 0, delayed: 0, failed: 0 });
      expect(state?.oldestWaitingMs).toBeGreaterThanOrEqual(50);
    });

    it('counts active jobs', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const consumer = messaging.processJobs(
        { ...noJobs, 'probe-edge': () => promise },
        { lane: 'checks', concurrency: 1 },
      );
      await waitUntil(async () => (await jobsState())?.jobs.active === 1);
      expect((await jobsState())?.jobs.waiting).toBe(1);
      resolve();
      await waitUntil(async () => (await jobsState())?.jobs.active === 0);
      await consumer.close();
    });

    it('knows the oldest event that is not handled: one that waits, is being handled, or waits for another try', async () => {
      expect(await messaging.oldestEvent()).toBeNull();
      const sentAt = Date.now();
      await messaging.events.emit('certificate.served', served());
      expect((await messaging.oldestEvent())?.getTime()).toBeGreaterThanOrEqual(sentAt - 1);
      const begun = Promise.withResolvers<void>();
      const first = Promise.withResolvers<void>();
      let isWorking = false;
      const consumer = messaging.consumeEvents(
        async () => {
          begun.resolve();
          await first.promise;
          if (!isWorking) throw new Error('unavailable');
        },
        { concurrency: 1 },
      );
      await begun.promise;
      expect((await messaging.oldestEvent())?.getTime()).toBeGreaterThanOrEqual(sentAt - 1);
      first.resolve();
      await waitUntil(async () => (await messaging.oldestEvent())?.getTime() === 0);
      isWorking = true;
      await waitUntil(async () => (await messaging.oldestEvent()) === null, { timeoutMs: 15_000 });
      await consumer.close();
    });

    it('finds an event whenever it is looked for, also when its next try begins', async () => {
      let tries = 0;
      let isWorking = false;
      const consumer = messaging.consumeEvents(
        () => {
          if (isWorking) return Promise.resolve();
          tries += 1;
          return Promise.reject(new Error('unavailable'));
        },
        { concurrency: 1 },
      );
      await messaging.events.emit('certificate.served', served());
      const found: boolean[] = [];
      const look = async () => {
        while (tries < 3) found.push((await messaging.oldestEvent()) !== null);
      };
      await Promise.all(Array.from({ length: 8 }, look));
      expect(found).not.toContain(false);
      isWorking = true;
      await waitUntil(async () => (await messaging.oldestEvent()) === null, { timeoutMs: 30_000 });
      await consumer.close();
    });
  });
