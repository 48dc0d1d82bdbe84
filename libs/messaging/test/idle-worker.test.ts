import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startTestPostgres, waitUntil } from '@pets/testing';
import { migrateMessaging } from '../src/migrate.js';
import { startConsumer } from '../src/consumer.js';
import { createPostgresBackend } from '../src/postgres.backend.js';

it('replaces a worker that is connected but takes no jobs while jobs wait', async () => {
  const postgres = await startTestPostgres();
  await migrateMessaging({ databaseUrl: postgres.url });
  const errors: string[] = [];
  const backend = createPostgresBackend(postgres.url, (_source, error) => void errors.push(error.message));
  const queue = backend.openQueue('idle');
  const seen: string[] = [];
  let opened = 0;
  const consumer = startConsumer(
    {
      ...backend,
      openWorker: (...given) => {
        const worker = backend.openWorker(...given);
        opened += 1;
        // The first worker is connected and never starts to take jobs.
        return opened > 1 ? worker : Object.assign(worker, { run: () => new Promise<void>(() => undefined) });
      },
    },
    {
      name: 'idle',
      process: async ({ name }) => void seen.push(name),
      settings: { concurrency: 1, maxStalledCount: 0 },
      errorHandlers: { onError: (error) => void errors.push(error.message), onFailed: () => undefined },
      waitingCount: () => queue.getWaitingCount(),
      idleLimitMs: 300,
    },
  );
  await consumer.started;
  await queue.addBulk([{ name: 'forgotten', data: {}, opts: { jobId: randomUUID() } }]);
  await waitUntil(() => seen.length > 0);
  expect(seen).toEqual(['forgotten']);
  expect(opened).toBe(2);
  expect(errors).toContain('worker idle takes no jobs while jobs wait; replacing it');
  await consumer.close();
  await queue.close();
  await backend.close();
  await postgres.stop();
});
