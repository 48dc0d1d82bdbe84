import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queues, type DomainEvents } from '@pets/contracts';
import { Queue, type Job, type JobsOptions } from 'bullmq';
import fc from 'fast-check';
import { describeWhen, isInstalled, startTestPostgres, startTestRedis, waitUntil } from '@pets/testing';
import type { Backend } from '../src/backend.js';
import { openMessaging, type Messaging, type MessagingOptions } from '../src/index.js';
import { textOf, type MessageAuthentication } from '../src/message-mac.js';
import { migrateMessaging } from '../src/migrate.js';
import { createPostgresBackend } from '../src/postgres.backend.js';
import { createRedisBackend } from '../src/redis.backend.js';
import { noJobs, probe, served } from './fixtures.js';

const ringOf = (id: string, fill: number) => ({ activeId: id, keys: new Map([[id, Buffer.alloc(32, fill)]]) });
const required: MessageAuthentication = { jobKeys: ringOf('j1', 1), eventKeys: ringOf('e1', 2) };

const silent = () => undefined;
const stores = [
  [
    'Redis',
    isInstalled('redis-server') ? null : 'redis-server is not installed',
    startTestRedis,
    (url: string) => ({ redisUrl: url }),
    (url: string) => createRedisBackend(url, silent),
  ],
  [
    'PostgreSQL',
    null,
    () => startTestPostgres(),
    (url: string) => ({ databaseUrl: url }),
    (url: string) => createPostgresBackend(url, silent),
  ],
] as const;

for (const [store, missing, start, settings, openBackend] of stores)
  describeWhen(describe, `message authentication on ${store}`, missing, () => {
    let service: { url: string; stop(): Promise<void> } | null;
    /** Can write to the store, and has no key. */
    let intruder: Backend;
    const stored = new Map<string, Queue>();
    let opened: Messaging[];
    let seen: string[];
    let lines: string[];

    beforeAll(async () => {
      service = await start();
      if (store === 'PostgreSQL') await migrateMessaging({ databaseUrl: service?.url ?? '' });
      intruder = openBackend(service?.url ?? '');
      await intruder.ping(5_000);
    });
    afterAll(async () => {
      await Promise.all([...stored.values()].map((queue) => queue.close()));
      await intruder.close();
      await service?.stop();
    });
    beforeEach(() => {
      opened = [];
      seen = [];
      lines = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((messaging) => messaging.close()));
      for (const name of Object.values(queues)) await withQueue(name, (queue) => queue.obliterate({ force: true }));
    });

    const open = (authentication = required, now = () => new Date()): Messaging => {
      const say = (fields: object, message: string) =>
        void lines.push(`${message} ${inspect(fields, { breakLength: Infinity })}`);
      const options: MessagingOptions = {
        ...settings(service?.url ?? ''),
        authentication,
        now,
        observer: {
          dropped: (queue, reason) => void seen.push(`${queue} dropped: ${reason}`),
        },
        log: { info: say, warn: say, error: say },
      };
      const messaging = openMessaging(options);
      opened.push(messaging);
      return messaging;
    };
    const withQueue = async <T>(name: string, use: (queue: Queue) => Promise<T>): Promise<T> => {
      const queue = stored.get(name) ?? (intruder.openQueue(name) as unknown as Queue); // what it opens
      stored.set(name, queue);
      await queue.waitUntilReady();
      return use(queue);
    };
    const put = (queue: string, name: string, data: unknown, opts: object = {}) =>
      withQueue(queue, (target) =>
        target.add(name, typeof data === 'string' ? data : textOf(data), { attempts: 5, ...opts }),
      );
    const probeWith = (messaging: Messaging) =>
      messaging.processJobs(
        { ...noJobs, 'probe-edge': async ({ name }) => void seen.push(`handled ${name}`) },
        { lane: 'checks', concurrency: 1 },
      );
    const takeEvents = (messaging: Messaging) =>
      messaging.consumeEvents(async ({ name, sentAt }) => void seen.push(`handled ${name} ${sentAt.toISOString()}`), {
        concurrency: 1,
      });
    const hasSeen = (...expected: string[]) => waitUntil(() => expected.every((line) => seen.includes(line)));

    it('drops and counts forged messages, and handles those of the other process', async () => {
      await put(queues.checks, 'probe-edge', probe({ name: 'forged' }));
      await open(required).jobs.checks.addBulk([{ name: 'probe-edge', payload: probe({ name: 'own' }) }]);
      probeWith(open(required));
      await hasSeen('handled own', 'domain-checks dropped: absent');
      expect(seen.sort()).toEqual(['domain-checks dropped: absent', 'handled own']);
      expect(lines.filter((line) => line.includes('message dropped: its MAC is missing'))).toHaveLength(1);
    });

    it('drops unsigned messages and every kind of wrong MAC', async () => {
      const at = new Date().toISOString();
      await put(queues.events, 'certificate.served', served());
      await put(queues.events, 'certificate.served', served(), { mac: { key: 'e1', at, value: 'AAAA' } });
      await put(queues.events, 'certificate.served', served(), { mac: { key: 'e9', at, value: 'AAAA' } });
      await put(queues.events, 'certificate.served', served(), { mac: 'no MAC' });
      await open().events.emit('certificate.served', served());
      takeEvents(open());
      await waitUntil(() => seen.filter((line) => line.startsWith('handled')).length === 1 && seen.length === 5);
      expect(seen.filter((line) => !line.startsWith('handled')).sort()).toEqual([
        'domain-events dropped: absent',
        'domain-events dropped: malformed',
        'domain-events dropped: mismatch',
        'domain-events dropped: unknown_key',
      ]);
    });

    it('reports the time at which a message was signed', async () => {
      const daysAgo = new Date('2026-01-02T03:04:05.678Z'); // the time is not an expiry
      await open(required, () => daysAgo).events.emit('certificate.served', served());
      takeEvents(open(required));
      await waitUntil(() => seen.length === 1);
      expect(seen).toEqual(['handled certificate.served 2026-01-02T03:04:05.678Z']);
    });

    it('keeps the MAC of a message that is retried', async () => {
      const sent = new Date('2026-01-02T03:04:05.678Z');
      await open(required, () => sent).events.emit('certificate.served', served());
      const fails = async ({ attemptsMade, sentAt }: { attemptsMade: number; sentAt: Date }) => {
        seen.push(`${attemptsMade} ${sentAt.toISOString()}`);
        if (attemptsMade < 2) throw new Error('database unavailable');
      };
      open(required).consumeEvents(fails, { concurrency: 1 });
      await waitUntil(() => seen.length === 3);
      expect(seen).toEqual([0, 1, 2].map((attemptsMade) => `${attemptsMade} ${sent.toISOString()}`));
    });

    it('drops a message that was moved to another queue or name, sent back, or changed', async () => {
      const payload = probe({ name: 'victim' });
      await open(required).jobs.checks.addBulk([{ name: 'probe-edge', payload }]);
      const { data, opts } = await takeOut(queues.checks);
      const { mac } = opts as { mac?: unknown };
      expect(mac).toMatchObject({ key: 'j1' });
      const consumer = open(required);
      await put(queues.checks, 'verify-dns', data, { mac });
      await put(queues.checks, 'probe-edge', { ...(JSON.parse(String(data)) as object), leafSha256: 'ff' }, { mac });
      await put(queues.webhooks, 'probe-edge', data, { mac });
      await put(queues.events, 'probe-edge', data, { mac });
      probeWith(consumer);
      consumer.processWebhookJobs({ 'deliver-webhook': async () => void seen.push('handled') }, { concurrency: 1 });
      takeEvents(consumer);
      await waitUntil(() => seen.length === 4);
      expect(seen.sort()).toEqual([
        'domain-checks dropped: mismatch',
        'domain-checks dropped: mismatch',
        'domain-events dropped: unknown_key',
        'webhooks dropped: mismatch',
      ]);
      // Not a text: the data of a store that somebody else has written.
      await withQueue(queues.checks, (queue) =>
        queue.add('probe-edge', JSON.parse(String(data)), { mac } as JobsOptions),
      );
      await hasSeen('domain-checks dropped: malformed');
      // An unchanged copy is accepted: its lease and its attempt decide whether it still counts.
      await put(queues.checks, 'probe-edge', data, { mac });
      await hasSeen('handled victim');
    });

    it('does not retry a dropped message, whatever its options say', async () => {
      await put(queues.events, 'certificate.served', served(), { attempts: 50, backoff: 1 });
      await open(required).events.emit('certificate.served', served());
      takeEvents(open(required));
      await waitUntil(() => seen.length === 2);
      const failed = await withQueue(queues.events, (queue) => queue.getFailed());
      expect(failed.map(({ attemptsMade }) => attemptsMade)).toEqual([1]);
      expect(seen.filter((line) => line.includes('dropped'))).toHaveLength(1);
    });

    it('delivers any payload as it was signed', async () => {
      const messaging = open(required);
      const received = new Map<string, unknown>();
      const take = async ({ data }: { data: unknown }) => {
        const { id, value } = data as { id: string; value: unknown };
        received.set(id, value);
      };
      messaging.consumeEvents(take, { concurrency: 16 });
      // Any payload, whether the catalog has it or not.
      const emit = (payload: unknown) =>
        messaging.events.emit('certificate.served', payload as DomainEvents['certificate.served']);
      await fc.assert(
        fc.asyncProperty(fc.array(payloads, { minLength: 1, maxLength: 40 }), async (values) => {
          const sent = values.map((value) => ({ id: randomUUID(), value }));
          await Promise.all(sent.map((payload) => emit(payload)));
          await waitUntil(() => seen.length > 0 || sent.every(({ id }) => received.has(id)));
          expect(seen).toEqual([]);
          for (const { id, value } of sent)
            if (value !== undefined) expect(received.get(id)).toEqual(JSON.parse(textOf(value)));
        }),
        { numRuns: 25 },
      );
    });

    /** Removes the only waiting job and returns it. */
    function takeOut(name: string): Promise<Pick<Job<unknown>, 'data' | 'opts'>> {
      return withQueue(name, async (queue) => {
        const [job] = (await queue.getWaiting()) as Job<unknown>[];
        if (job === undefined) throw new Error('nothing waits');
        await job.remove();
        return job;
      });
    }
  });

/** Values that stores change: the order and the names of keys, the format of numbers, unusual text. */
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', 'a\0', '\ud800', 'x\udfff', '\\u0000', '\u2028', '/', '"', '\u007f', 'é', 'e\u0301'),
);
const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(-0, 1e3, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 2 ** 53, -1e-300),
);
const keys = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((key) => !key.includes('\0')),
  fc.constantFrom('__proto__', 'constructor', 'toJSON', '', '\u{1F436}', '\uFFFD', 'aa', 'b', 'é', '10', '9'),
);
const { payloads } = fc.letrec<{ payloads: unknown }>((tie) => ({
  payloads: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(texts, numbers, fc.boolean(), fc.constantFrom(null, undefined)),
    fc.array(tie('payloads'), { maxLength: 5 }),
    fc.array(fc.tuple(keys, tie('payloads')), { maxLength: 6 }).map(objectOf),
  ),
}));

/** An object with `__proto__` as an ordinary member, like one from `JSON.parse`. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  return entries.reduce<object>(
    (object, [key, value]) =>
      Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true }),
    {},
  );
}
