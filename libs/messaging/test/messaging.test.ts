import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jobLanes, queues, type DomainEvents, type DomainJobs, type JobLane } from '@pets/contracts';
import { openMessaging, type Messaging, type MessagingOptions } from '../src/index.js';
import { migrateMessaging } from '../src/migrate.js';
import { noJobs, probe, served } from './fixtures.js';
import { receiver, startReceiver } from './event-receiver.js';
import {
  describeWhen,
  isInstalled,
  startTestPostgres,
  startTestRedis,
  waitUntil,
  testAuthentication,
} from '@pets/testing';

const withoutRedis = isInstalled('redis-server') ? null : 'redis-server is not installed';
const stores = [
  ['Redis', withoutRedis, startTestRedis, (url: string) => ({ redisUrl: url })],
  ['PostgreSQL', null, () => startTestPostgres(), (url: string) => ({ databaseUrl: url })],
] as const;

for (const [store, missing, start, settings] of stores)
  describeWhen(describe, `messaging on ${store}`, missing, () => {
    let service: { url: string; stop(): Promise<void> } | null;
    let options: MessagingOptions;
    let messaging: Messaging;
    let lines: string[];

    beforeAll(async () => {
      service = await start();
      if (store === 'PostgreSQL') await migrateMessaging({ databaseUrl: service?.url ?? '' });
    });
    afterAll(() => service?.stop());

    beforeEach(() => {
      lines = [];
      const say = (fields: object, message: string) =>
        void lines.push(`${message} ${inspect(fields, { breakLength: Infinity })}`);
      options = {
        ...settings(service?.url ?? ''),
        authentication: testAuthentication,
        log: { info: say, warn: say, error: say },
      };
      messaging = openMessaging(options);
      receiver.forget();
    });
    afterEach(() => messaging.close());

    it('is ready once the store answers', async () => {
      await waitUntil(() => messaging.ready());
    });

    it('delivers an event that was emitted while no receiver was running', async () => {
      const event = served();
      await messaging.events.emit('certificate.served', event);
      const app = await startReceiver(messaging);
      await waitUntil(() => receiver.received.length === 1);
      expect(receiver.received).toEqual([event]);
      await app.close();
    });

    it('calls a failing event handler again until it succeeds', async () => {
      receiver.failures = [new Error('database away'), new Error('still away')];
      const app = await startReceiver(messaging);
      const event = served();
      await messaging.events.emit('certificate.served', event);
      await waitUntil(() => receiver.received.length === 3);
      expect(receiver.received).toEqual([event, event, event]);
      await app.close();
    });

    it('fails an event with an invalid payload at once, without calling its handler', async () => {
      const app = await startReceiver(messaging);
      const wrong = { ...served(), generation: 'one' };
      await messaging.events.emit('certificate.served', wrong as unknown as DomainEvents['certificate.served']);
      const after = served();
      await messaging.events.emit('certificate.served', after);
      // Both are handled at the same time, so either may end first.
      const failures = () => lines.filter((line) => line.startsWith('job failed') && line.includes('expected number'));
      await waitUntil(() => receiver.received.length === 1 && failures().length === 1);
      expect(receiver.received).toEqual([after]);
      expect(failures()[0]).toContain('UnrecoverableError');
      expect(failures()[0]).toContain(wrong.domainId);
      await app.close();
    });

    it('calls the handler of a job once, with a signal', async () => {
      const job = probe();
      const seen: unknown[] = [];
      messaging.processJobs(
        { ...noJobs, 'probe-edge': async (payload, signal) => void seen.push([payload, signal.aborted]) },
        { lane: 'checks', concurrency: 4 },
      );
      await messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: job }]);
      await waitUntil(() => seen.length === 1);
      expect(seen).toEqual([[job, false]]);
    });

    it('drops a job whose lease has expired', async () => {
      const late = probe({ leaseUntil: new Date(Date.now() - 1).toISOString() });
      const fresh = probe();
      const seen: string[] = [];
      messaging.processJobs(
        { ...noJobs, 'probe-edge': async (payload) => void seen.push(payload.domainId) },
        { lane: 'checks', concurrency: 1 },
      );
      await messaging.jobs.checks.addBulk([late, fresh].map((payload) => ({ name: 'probe-edge', payload })));
      await waitUntil(() => seen.length === 1);
      expect(seen).toEqual([fresh.domainId]);
      const dropped = lines.filter((line) => line.includes('lease expired') && line.includes(late.domainId));
      expect(dropped).toHaveLength(1);
    });

    it('fails a job with an invalid payload without calling its handler', async () => {
      const wrong = { ...probe(), leafSha256: 7 };
      const fresh = probe();
      const seen: string[] = [];
      messaging.processJobs(
        { ...noJobs, 'probe-edge': async (payload) => void seen.push(payload.domainId) },
        { lane: 'checks', concurrency: 1 },
      );
      const payloads = [wrong as unknown as DomainJobs['probe-edge'], fresh];
      await messaging.jobs.checks.addBulk(payloads.map((payload) => ({ name: 'probe-edge', payload })));
      await waitUntil(() => seen.length === 1);
      expect(seen).toEqual([fresh.domainId]);
    });

    it('keeps the jobs of each lane in a queue of its own', async () => {
      const seen: string[] = [];
      const work = (lane: JobLane) =>
        messaging.processJobs(
          { ...noJobs, 'probe-edge': async ({ name }) => void seen.push(`${name} in ${lane}`) },
          { lane, concurrency: 1 },
        );
      await Promise.all(jobLanes.map((lane) => work(lane).started));
      for (const lane of jobLanes)
        await messaging.jobs[lane].addBulk([{ name: 'probe-edge', payload: probe({ name: lane }) }]);
      await waitUntil(() => seen.length === jobLanes.length);
      expect(seen.sort()).toEqual(jobLanes.map((lane) => `${lane} in ${lane}`).sort());
    });

    it('handles an event that a person waits for while every other place is taken', async () => {
      const release = Promise.withResolvers<void>();
      const handled: unknown[] = [];
      const consumer = messaging.consumeEvents(
        async ({ queue, data }) => {
          if (queue === queues.events) await release.promise;
          handled.push(data);
        },
        { concurrency: 1 },
      );
      await consumer.started;
      const [awaited, ...others] = [served(), served(), served()];
      for (const event of others) await messaging.events.emit('certificate.served', event);
      await messaging.events.emit('certificate.served', awaited, { isAwaited: true });
      await waitUntil(() => handled.length === 1);
      expect(handled).toEqual([awaited]);
      release.resolve();
      await waitUntil(() => handled.length === 3);
    });

    it('keeps one job when the same one is added twice while it waits', async () => {
      const job = probe();
      await messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: job }]);
      await messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: job }]);
      expect(await messaging.jobs.checks.waitingCount()).toBe(1);
      await drain();
    });

    it('adds the next attempt of a job whose last one is done', async () => {
      const seen: number[] = [];
      messaging.processJobs(
        { ...noJobs, 'probe-edge': async (payload) => void seen.push(payload.attempt) },
        { lane: 'checks', concurrency: 1 },
      );
      const job = probe();
      await messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: job }]);
      await waitUntil(() => seen.length === 1);
      await messaging.jobs.checks.addBulk([{ name: 'probe-edge', payload: { ...job, attempt: 2 } }]);
      await waitUntil(() => seen.length === 2);
      expect(seen).toEqual([1, 2]);
    });

    it('aborts a job when its lease ends', async () => {
      const reasons: string[] = [];
      messaging.processJobs(
        {
          ...noJobs,
          'probe-edge': (_payload, signal) =>
            new Promise((resolve) => {
              signal.addEventListener('abort', () => {
                reasons.push((signal.reason as Error).message);
                resolve();
              });
            }),
        },
        { lane: 'checks', concurrency: 1 },
      );
      await messaging.jobs.checks.addBulk([
        { name: 'probe-edge', payload: probe({ leaseUntil: new Date(Date.now() + 600).toISOString() }) },
      ]);
      await waitUntil(() => reasons.length === 1);
      expect(reasons[0]).toMatch(/^timed out after \d+ ms$/);
    });

    /** Consumes the waiting jobs, so that tests do not see each other's. */
    async function drain(): Promise<void> {
      messaging.processJobs({ ...noJobs, 'probe-edge': () => Promise.resolve() }, { lane: 'checks', concurrency: 4 });
      await waitUntil(async () => (await messaging.jobs.checks.waitingCount()) === 0);
    }
  });
