import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorStatus } from '@pets/contracts';
import { EDGE_TOKEN, startTestApi, type TestApi } from '../harness.js';
import { openSession } from '../access/session-client.js';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  ({ key } = await api.createOrganization('pro'));
});
afterAll(() => api.close());

describe('authentication', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const project = `/v1/projects/${id}`;
  it.each([
    ['GET', '/v1/pets'],
    ['POST', '/v1/pets'],
    ['GET', '/v1/projects'],
    ['POST', '/v1/projects'],
    ['GET', project],
    ['GET', `${project}/deployments`],
    ['POST', `${project}/deployments`],
    ['GET', `${project}/domains`],
    ['POST', `${project}/domains`],
    ['GET', `${project}/domains/x`],
    ['DELETE', `${project}/domains/x`],
    ['GET', `${project}/domains/x/events`],
    ['POST', `${project}/domains/x/verify`],
    ['POST', `${project}/domains/x/reverify`],
    ['GET', `${project}/domain-config`],
    ['PUT', `${project}/domain-config`],
    ['GET', '/v1/api-keys'],
    ['POST', '/v1/api-keys'],
    ['DELETE', `/v1/api-keys/${id}`],
    ['POST', '/v1/sessions'],
    ['DELETE', '/v1/sessions/current'],
    ['GET', '/internal/edge/session'],
    ['DELETE', '/internal/edge/edges/x'],
    ['GET', `/internal/edge/certificates/${id}`],
  ])('%s %s needs a credential', async (method, path) => {
    const { status, headers, body } = await api.request(method, path);
    expect(status).toBe(401);
    expect(body?.code).toBe('unauthenticated');
    expect(headers.get('www-authenticate')).toBe('Bearer realm="pets-api"');
  });

  it.each([
    ['of no form', 'nope'],
    ['well formed but unknown', 'pets_test_GUzKdCoMtVU9eKTXTb1rJRsULpcMCn3SdEPl'],
    ['the token of the edges', EDGE_TOKEN],
  ])('refuses a key %s', async (_name, wrong) => {
    const { status, headers, body } = await api.request('GET', '/v1/pets', { key: wrong });
    expect(status).toBe(401);
    expect(body?.code).toBe('invalid_api_key');
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('refuses an API key where the edge token is required', async () => {
    expect((await api.request('GET', '/internal/edge/session', { key })).status).toBe(401);
  });

  it('runs before the body is parsed', async () => {
    expect((await api.request('POST', '/v1/pets', { body: '{' })).status).toBe(401);
  });

  it.each(['/v1/%70ets', '/v1/pets', '/V1/pets', '/v1//pets', '/v1/pets/', '/v1/pets;x'])(
    'is not got round by writing %s',
    async (path) => {
      expect([401, 404]).toContain((await api.request('GET', path)).status);
    },
  );

  it('keeps keys only as hashes', async () => {
    const { rows } = await sql<{ row: string }>`select api_keys::text as row from api_keys`.execute(api.db);
    expect(rows.map(({ row }) => row).join('\n')).not.toContain(key.slice('pets_test_'.length));
  });
});

describe('methods', () => {
  it.each([
    ['PUT', '/v1/pets', 405, 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/v1/projects/1', 405, null],
    ['PATCH', '/internal/edge/session', 405, 'GET, HEAD, OPTIONS'],
    ['OPTIONS', '/v1/pets', 204, 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/livez', 405, 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/nope', 404, null],
  ])('answers %s %s with %i before authentication', async (method, path, status, allow) => {
    const answer = await api.request(method, path);
    expect(answer.status).toBe(status);
    if (allow !== null) expect(answer.headers.get('allow')).toBe(allow);
  });
});

describe('the error format', () => {
  it.each<[string, string, string, number]>([
    ['an unknown path', 'GET', '/nope', 404],
    ['an unknown path under /v1', 'GET', '/v1/nope', 404],
    ['a malformed path', 'GET', '/v1/%E0%A4%A', 400],
    ['a missing object', 'GET', '/v1/projects/00000000-0000-4000-8000-000000000000', 404],
    ['an id that is none', 'GET', '/v1/projects/1', 404],
  ])('is the same for %s', async (_name, method, path, status) => {
    const answer = await api.request(method, path, { key });
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body as object)).toEqual(['code', 'message', 'status']);
    expect(answer.body.status).toBe(status);
    expect(Object.keys(errorStatus)).toContain(answer.body.code);
  });

  it.each([
    ['what is not HTTP', 'NONSENSE\r\n\r\n', '400'],
    ['oversized headers', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, '431'],
  ])('is the same for %s', async (_name, bytes, status) => {
    const answer = await exchange(bytes);
    expect(answer.split('\r\n')[0]).toContain(status);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ status: Number(status) });
  });
});

describe('bodies', () => {
  it('may be announced but empty where an operation needs none', async () => {
    const headers = { 'content-type': 'application/json' };
    const path = '/v1/projects/00000000-0000-4000-8000-000000000000/domains/x';
    for (const [method, action] of [
      ['POST', '/verify'],
      ['DELETE', ''],
    ] as const) {
      expect((await api.request(method, path + action, { key, headers })).status).toBe(404);
    }
  });

  it('are answered 408 when they arrive too slowly', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`;
    const answer = await exchange(`${head}content-type: application/json\r\ncontent-length: 50\r\n\r\n{`, 15_000);
    expect(answer.split('\r\n')[0]).toContain('408');
    expect(answer).toContain('"code":"timeout"');
  });
});

describe('the process', () => {
  it('is live and ready without a key', async () => {
    expect([(await api.request('GET', '/livez')).status, (await api.request('GET', '/readyz')).status]).toEqual([
      200, 200,
    ]);
  });

  it('is live with any query of a probe', async () => {
    expect((await api.request('GET', '/livez?verbose')).status).toBe(200);
  });

  it('survives when the database terminates every connection', async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(api.db);
    const answers = [];
    for (let i = 0; i < 20; i++) answers.push((await api.request('GET', '/v1/pets', { key })).status);
    expect(answers.at(-1)).toBe(200);
    expect(answers.every((status) => status === 200 || status === 503)).toBe(true);
  });

  it('stops in under 10 seconds with a client on a kept connection and an open session of an edge', async () => {
    const own = await startTestApi();
    try {
      const agent = new Agent({ keepAlive: true });
      await new Promise((resolve) =>
        httpRequest(`${own.url}/livez`, { agent }, (response) => response.resume().once('end', resolve)).end(),
      );
      const session = await openSession(own.url, { edgeId: 'edge-stopped', after: 0 });
      const began = process.hrtime.bigint();
      await own.stopApi();
      expect(Number(process.hrtime.bigint() - began) / 1e9).toBeLessThan(10);
      expect(await session.closed()).toBe(1001);
      agent.destroy();
    } finally {
      await own.close();
    }
  });
});

/** Sends bytes as they are and reads until the server ends the connection. */
function exchange(bytes: string, limitMs = 5_000): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(limitMs, () => socket.destroy(new Error('no answer')));
    socket
      .on('data', (chunk) => (answer += String(chunk)))
      .on('end', () => resolve(answer))
      .on('error', reject);
  });
}
