import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@pets/platform';
import { describeWhen, isInstalled, startTestRedis, waitUntil, type TestRedis } from '@pets/testing';
import { LimitsRepository } from '../../src/access/limits/limits.repository.js';
import { RateLimiter } from '../../src/http/rate-limiter.js';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';

const LIMIT = 3;
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
});
afterAll(() => api.close());

/** The status of so many requests, one after another. */
async function statuses(replica: ApiReplica, key: string, count: number, path = '/v1/pets'): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await replica.request('GET', path, { key })).status);
  return seen;
}

describe('the rate limit of an organization', () => {
  it('is in every response, and a refusal has the time to wait', async () => {
    const { key } = await api.createOrganization('pro');
    for (const remaining of [2, 1, 0]) {
      const { status, headers } = await api.request('GET', '/v1/pets', { key });
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${remaining};t=([1-9]|[1-5]\\d|60)$`));
    }
    const { status, headers, body } = await api.request('GET', '/v1/pets', { key });
    expect({ status, body }).toEqual({
      status: 429,
      body: { code: 'rate_limited', message: 'The organization may send 3 requests in 60 seconds.', status: 429 },
    });
    expect(headers.get('ratelimit')).toBe(`"default";r=0;t=${headers.get('retry-after')}`);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is shared by all its keys', async () => {
    const { organizationId } = await api.createOrganization('pro');
    const keys = await Promise.all(Array.from({ length: 20 }, () => api.createKey(organizationId)));
    const seen = (await Promise.all(keys.map((key) => statuses(api, key, 2)))).flat();
    expect(seen.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(seen.filter((status) => status === 429)).toHaveLength(40 - LIMIT);
  });

  it('is its own where it has one, and a new one applies at once', async () => {
    const { organizationId, key } = await api.createOrganization('pro');
    const limits = new LimitsRepository(api.db);
    await limits.setForOrganization(organizationId, 'requestsPerMinute', 1);
    expect(await statuses(api, key, 2)).toEqual([200, 429]);
    await limits.setForOrganization(organizationId, 'requestsPerMinute', 10);
    await waitUntil(async () => (await statuses(api, key, 1))[0] === 200, {
      message: 'the new limit',
    });
  });

  it('counts refusals too, is shared with sessions, and leaves other organizations alone', async () => {
    const { key } = await api.createOrganization('pro');
    const { body } = await api.request<{ secret: string }>('POST', '/v1/sessions', { key });
    expect(await statuses(api, body.secret, 3, '/v1/pets/none')).toEqual([400, 400, 429]);
    expect(await statuses(api, key, 1)).toEqual([429]);
    expect(await statuses(api, (await api.createOrganization('pro')).key, 1)).toEqual([200]);
  });

  it('is not shown without a valid key', async () => {
    const { headers } = await api.request('GET', '/v1/pets');
    expect(headers.get('ratelimit')).toBeNull();
    expect(headers.get('ratelimit-policy')).toBeNull();
  });

  it('can be switched off', async () => {
    const { key } = await api.createOrganization('pro');
    const unlimited = await api.startReplica({ RATE_LIMIT_PER_MINUTE: '0' });
    const { status, headers } = await unlimited.request('GET', '/v1/pets', { key });
    expect(status).toBe(200);
    expect(headers.get('ratelimit')).toBeNull();
  });
});

const withoutRedis = isInstalled('redis-server') ? null : 'redis-server is not installed';

describeWhen(describe, 'the rate limit in Redis', withoutRedis, () => {
  let redis: TestRedis | null;
  let replicas: RateLimiter[];

  beforeAll(async () => {
    redis = await startTestRedis();
    const config = { RATE_LIMIT_PER_MINUTE: 1000, REDIS_URL: redis?.url };
    const log = createLogger('test', 'silent');
    replicas = [new RateLimiter(config, log), new RateLimiter(config, log)];
  });
  afterAll(async () => {
    for (const replica of replicas) replica.onApplicationShutdown();
    await redis?.stop();
  });

  it('is shared by all replicas, and refuses no request without Redis', async () => {
    const [one, other] = replicas;
    if (one === undefined || other === undefined) throw new Error('two replicas are needed');
    // Until its connection stands a replica counts for itself.
    await waitUntil(
      async () => {
        const key = randomUUID();
        await one.consume(key, LIMIT);
        return (await other.consume(key, LIMIT))?.remaining === 1;
      },
      { message: 'both replicas to count in Redis' },
    );
    const isExceeded = async (replica: RateLimiter, key: string) => (await replica.consume(key, LIMIT))?.isExceeded;
    const [shared, alone] = [randomUUID(), randomUUID()];
    for (const replica of [one, other, one]) expect(await isExceeded(replica, shared)).toBe(false);
    expect(await isExceeded(other, shared)).toBe(true);
    // A raised limit counts on from what was sent.
    expect(await other.consume(shared, LIMIT + 2)).toMatchObject({ remaining: 0, isExceeded: false });
    expect(await other.consume(shared, LIMIT + 2)).toMatchObject({ remaining: 0, isExceeded: true });
    await redis?.stop();
    for (let i = 0; i < LIMIT; i++) expect(await isExceeded(one, alone)).toBe(false);
    expect(await isExceeded(one, alone)).toBe(true);
  });
});
