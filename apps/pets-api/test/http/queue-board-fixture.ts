import { openMessaging, type Messaging } from '@pets/messaging';
import { createLogger } from '@pets/platform';
import { startTestRedis, waitUntil, testAuthentication } from '@pets/testing';
import { startTestApi, type TestApi } from '../harness.js';

export const ADMIN_TOKEN = 'admin-token-of-the-tests-and-of-nothing-else';

/** By the id of the job that is in the queue of domains. */
export const DOMAIN_JOB = 'probe-edge-11111111-1111-4111-8111-111111111111-g1-a1';

/** pets-api with a board of queues that lie in one of the stores, and a job in each queue of jobs. */
export async function startQueueBoardFixture(
  store: 'Redis' | 'PostgreSQL',
): Promise<{ api: TestApi; close(): Promise<void> }> {
  const redis = store === 'Redis' ? await startTestRedis() : null;
  const api = await startTestApi({ ADMIN_TOKEN, ...(redis && { REDIS_URL: redis.url }) });
  const log = createLogger('queue-board-test', 'silent');
  const messaging = openMessaging({
    redisUrl: redis?.url,
    databaseUrl: api.databaseUrl,
    authentication: testAuthentication,
    log,
  });
  await waitUntil(() => messaging.ready());
  await addJobs(messaging);
  return {
    api,
    close: async () => {
      await messaging.close();
      await api.close();
      await redis?.stop();
    },
  };
}

async function addJobs(messaging: Messaging): Promise<void> {
  const leaseUntil = new Date(Date.now() + 60_000).toISOString();
  const attempt = { domainId: '11111111-1111-4111-8111-111111111111', generation: 1, attempt: 1 };
  await messaging.jobs.checks.addBulk([
    {
      name: 'probe-edge',
      payload: {
        ...{ ...attempt, leaseUntil, name: 'docs.example.com', leafSha256: 'ab' },
        ...{ edges: [], spares: [], rechecks: [], suspects: [] },
      },
    },
  ]);
  const delivery = { deliveryId: '22222222-2222-4222-8222-222222222222', attempt: 1, leaseUntil };
  const headers = { 'webhook-signature': 'v1,secret-signature' };
  await messaging.webhooks.addBulk([
    {
      name: 'deliver-webhook',
      payload: { ...delivery, url: 'https://hooks.example/T0/secret-path', headers, body: '{"secret":"body"}' },
    },
  ]);
}
