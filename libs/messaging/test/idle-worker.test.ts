import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startTestPostgres, waitUntil } from '@pets/testing';
import { migrateMessaging } from '../src/migrate.js';
import { startConsumer } from '../src/consumer.js';
import { createPostgresBackend } from '../src/postgres.backend.js';

it('a worker that is connected but takes nothing while jobs wait is opened anew', async () => {
  const postgres = await startTestPostgres();
  await migrateMessaging({ databaseUrl: postgres.url });
  const troubles: string[] = [];
  const backend = createPostgresBackend(postgres.url, (_source, error) => void troubles.push(error.message));
  const queue = backend.openQueue('idle');
  const seen: string[] = [];
  let opened = 0;
  const consumer = startConsumer(
    {
      ...backend,
      openWorker: (...given) => {
        const worker = backend.openWorker(...given);
        opened += 1;
        // The first one is connected, and never begins to take jobs.
        return opened > 1 ? worker : Object.assign(worker, { run: () => new Promise<void>(() => undefined) });
      },
    },
    {
      name: 'idle',
      process: async ({ name }) => void seen.push(name),
      settings: { concurrency: 1, maxStalledCount: 0 },
      trouble: { onError: (error) => void troubles.push(error.message), onFailed: () => undefined },
      waitingCount: () => queue.getWaitingCount(),
      idleLimitMs: 300,
    },
  );
  await consumer.started;
  await queue.addBulk([{ name: 'forgotten', data: {}, opts: { jobId: randomUUID() } }]);
  await waitUntil(() => seen.length > 0);
  expect(seen).toEqual(['forgotten']);
  expect(opened).toBe(2);
  expect(troubles).toContain('worker idle takes no jobs while some wait: it is opened anew');
  await consumer.close();
  await queue.close();
  await backend.close();
  await postgres.stop();
}, 30_000);
