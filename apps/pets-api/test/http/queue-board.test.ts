import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobLanes, queues, type ApiError } from '@pets/contracts';
import { describeWhen, isInstalled, startTestRedis, waitUntil } from '@pets/testing';
import { EDGE_TOKEN, startTestApi, type ApiReplica, type TestApi } from '../harness.js';
import { ADMIN_TOKEN, DOMAIN_JOB, startQueueBoardFixture } from './queue-board-fixture.js';

const basic = (password: string, user = 'admin') => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const ask = <Body = ApiError>(api: ApiReplica, path: string, authorization = basic(ADMIN_TOKEN)) =>
  api.request<Body>('GET', `/admin/queues${path}`, { headers: { authorization } });

interface Queues {
  readonly queues: readonly {
    readonly name: string;
    readonly counts: Readonly<Record<string, number>>;
    readonly jobs: readonly { readonly id: string; readonly name: string; readonly data: object }[];
    readonly readOnlyMode: boolean;
  }[];
}

const withoutRedis = isInstalled('redis-server') ? null : 'redis-server is not installed';
const stores = [
  ['Redis', withoutRedis],
  ['PostgreSQL', null],
] as const;

for (const [store, missing] of stores)
  describeWhen(describe, `the board of queues on ${store}`, missing, () => {
    let fixture: Awaited<ReturnType<typeof startQueueBoardFixture>>;
    let api: TestApi;
    beforeAll(async () => {
      fixture = await startQueueBoardFixture(store);
      api = fixture.api;
    });
    afterAll(() => fixture.close());

    it('lists every queue with its jobs', async () => {
      const { status, body } = await ask<Queues>(api, '/api/queues?activeQueue=domain-checks&jobsPerPage=10');
      expect(status).toBe(200);
      expect(body.queues).toMatchObject([
        ...jobLanes.map((lane) =>
          lane === 'checks'
            ? { name: queues[lane], counts: { waiting: 1 }, readOnlyMode: true, jobs: [{ id: DOMAIN_JOB }] }
            : { name: queues[lane], counts: { waiting: 0 } },
        ),
        { name: 'webhooks', counts: { waiting: 1 }, readOnlyMode: true, jobs: [] },
        { name: 'domain-events', counts: { waiting: 0 }, readOnlyMode: true, jobs: [] },
        { name: 'domain-events-awaited', counts: { waiting: 0 } },
      ]);
    });

    it('shows a job, whose name and queue are in the address', async () => {
      const { status, body } = await ask<object>(api, `/api/queues/domain-checks/${DOMAIN_JOB}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'waiting',
        job: { name: 'probe-edge', data: { name: 'docs.example.com' } },
      });
    });

    it('shows of a webhook neither where it goes, nor its signature, nor what it says', async () => {
      const { text, body } = await ask<Queues>(api, '/api/queues?activeQueue=webhooks&status=waiting');
      expect(body.queues.find(({ name }) => name === 'webhooks')?.jobs).toMatchObject([
        { name: 'deliver-webhook', data: { attempt: 1, url: '(hidden)', headers: '(hidden)', body: '(hidden)' } },
      ]);
      expect(text).not.toContain('secret');
    });

    it.each([
      ['metrics', 200],
      ['default-job-options', 200],
      ['workers', 200],
      ['rate-limit', 200],
      ['job-data-schema', 200],
      [`${DOMAIN_JOB}/logs`, 200],
      [`${DOMAIN_JOB}/flow`, 200],
    ])('answers the other question of its page, %s', async (question, status) => {
      const answer = await ask(api, `/api/queues/domain-checks/${question}`);
      expect(answer.status).toBe(status);
      expect(answer.text).toMatch(/^[[{]/);
    });

    it('shows details of the store if it is Redis', async () => {
      const { status, body } = await ask<object>(api, '/api/redis/stats');
      if (store === 'Redis') {
        expect(status).toBe(200);
        expect(body).toMatchObject({ backend: 'redis' });
      } else {
        expect(status).toBe(403);
        expect(body).toMatchObject({ code: 'forbidden', status: 403 });
      }
    });

    it('answers unknown requests in the error format, with bull-board’s error key', async () => {
      const { status, body } = await ask(api, '/api/queues/nothing/metrics');
      const error = { key: 'ERRORS.QUEUE_NOT_FOUND' };
      expect(status).toBe(404);
      expect(body).toEqual({ code: 'not_found', message: expect.any(String), status: 404, error });
    });

    it('has no route that could change a queue', async () => {
      const headers = {
        authorization: basic(ADMIN_TOKEN),
        'sec-fetch-site': 'cross-site',
        origin: 'https://evil.example',
      };
      const attempts = [
        ['PUT', '/api/queues/pause'],
        ['PUT', '/api/queues/domain-checks/pause'],
        ['PUT', '/api/queues/domain-checks/empty'],
        ['PUT', '/api/queues/domain-checks/obliterate'],
        ['PUT', `/api/queues/domain-checks/${DOMAIN_JOB}/clean`],
        ['POST', '/api/queues/domain-checks/add'],
        ['POST', '/api/queues'],
        ['DELETE', `/api/queues/domain-checks/${DOMAIN_JOB}`],
      ] as const;
      for (const [method, path] of attempts) {
        const { status } = await api.request(method, `/admin/queues${path}`, { headers, body: {} });
        expect([404, 405]).toContain(status);
      }
      expect((await ask<Queues>(api, '/api/queues')).body.queues).toMatchObject([
        ...jobLanes.map((lane) => ({ counts: { waiting: lane === 'checks' ? 1 : 0 } })),
        { counts: { waiting: 1 } },
        { counts: { waiting: 0 } },
        { counts: { waiting: 0 } },
      ]);
    });
  });

describe('the administrator', () => {
  let api: TestApi;
  let customerKey: string;
  beforeAll(async () => {
    api = await startTestApi({ ADMIN_TOKEN });
    ({ key: customerKey } = await api.createOrganization('pro'));
  });
  afterAll(() => api.close());

  const paths = ['', '/', '/queue/domain-checks', '/api/queues', '/api/redis/stats', '/static/images/logo.svg'];

  it.each(paths)('is asked for the token at %p, and a browser for a password', async (path) => {
    const { status, headers, body } = await api.request('GET', `/admin/queues${path}`);
    expect(status).toBe(401);
    expect(body).toEqual({ code: 'unauthenticated', message: expect.any(String), status: 401 });
    expect(headers.get('www-authenticate')).toBe('Basic realm="pets-api administrator", charset="UTF-8"');
  });

  it.each([
    ['a wrong token', () => basic('wrong')],
    ['no password', () => basic('')],
    ['the token as the name', () => basic('', ADMIN_TOKEN)],
    ['a customer’s key with every scope', () => basic(customerKey)],
    ['the same as a bearer key', () => `Bearer ${customerKey}`],
    ['the token of the edges', () => basic(EDGE_TOKEN)],
    ['what is no password', () => 'Basic !'],
  ])('is refused with %s', async (_name, authorization) => {
    for (const path of paths) {
      const { status, body } = await ask(api, path, authorization());
      expect([path, status, body]).toEqual([
        path,
        401,
        expect.objectContaining({ code: 'invalid_api_key', status: 401 }),
      ]);
    }
  });

  it.each(paths.slice(0, -1))('forbids caching and use by other sites, at %p', async (path) => {
    const { headers } = await ask(api, path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('has a page that loads nothing from elsewhere, and runs no inline script', async () => {
    const { headers, text } = await ask(api, '');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(text).not.toMatch(/https?:|<style|style=/);
    expect(text).not.toContain(ADMIN_TOKEN);
  });

  it.each(['nothing.js', '../index.ejs', '..%2findex.ejs', '..%2f..%2fpackage.json', '__proto__', ''])(
    'has no file %p',
    async (name) => {
      const { status, body } = await ask(api, `/static/${name}`);
      expect(status).toBe(404);
      expect(body.code).toBe('not_found');
    },
  );

  it.each([
    ['/nothing', 404, null],
    ['/api/nothing', 404, null],
    ['/api/queues', 405, 'GET, HEAD, OPTIONS'],
  ])('PUT at %s is answered %d', async (path, status, allow) => {
    const answer = await api.request('PUT', `/admin/queues${path}`, { headers: { authorization: basic(ADMIN_TOKEN) } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.body.status).toBe(status);
  });

  it('gets an error for an invalid request', async () => {
    const { status, body } = await ask(api, '/api/queues?page=minus');
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_request');
  });

  it('has no board where there is no token', async () => {
    const replica = await api.startReplica({ ADMIN_TOKEN: '' });
    for (const path of paths) {
      const { status, body } = await ask(replica, path);
      expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    }
  });

  it('must have a long token', async () => {
    await expect(api.startReplica({ ADMIN_TOKEN: 'short' })).rejects.toThrow('ADMIN_TOKEN');
  });
});

describeWhen(describe, 'the board while its store is silent', withoutRedis, () => {
  it('says so in the one error shape, and then goes on', async () => {
    const redis = await startTestRedis();
    if (redis === null) throw new Error('redis-server is not installed');
    const api = await startTestApi({ ADMIN_TOKEN, REDIS_URL: redis.url });
    expect((await ask(api, '/api/queues')).status).toBe(200);
    process.kill(redis.pid, 'SIGSTOP');
    const { status, headers, body } = await ask(api, '/api/queues');
    const page = await ask(api, '');
    process.kill(redis.pid, 'SIGCONT');
    expect(status).toBe(503);
    expect(body.code).toBe('unavailable');
    expect(headers.get('retry-after')).toBe('2');
    expect(page.status).toBe(200);
    await waitUntil(async () => (await ask(api, '/api/queues')).status === 200);
    await api.close();
    await redis.stop();
  });
});
