import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorStatus } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { startHttpApp, type HttpApp } from './http-app.js';

let app: HttpApp;

beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(() => app.close());

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'connection: close', ...headers, '', ''].join('\r\n');
const post = (body: string, ...headers: string[]) =>
  ['POST /v1/animals HTTP/1.1', 'host: x', 'connection: close', ...headers, '', body].join('\r\n');

/** Each of them is refused by another layer: Node's parser, Node's server, Fastify's router, or our hooks. */
describe('a malformed message', () => {
  it.each<[string, keyof typeof errorStatus, string]>([
    ['no HTTP', 'invalid_request', 'NONSENSE\r\n\r\n'],
    ['an unknown method', 'invalid_request', 'FOO /v1/animals HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['no Host', 'invalid_request', get('/v1/animals')],
    ['no Host on an unknown path', 'invalid_request', get('/nothing')],
    ['two Hosts', 'invalid_request', get('/v1/animals', 'host: x', 'Host: y')],
    ['two equal Hosts', 'invalid_request', get('/v1/animals', 'host: x', 'host: x')],
    ['two Authorizations', 'invalid_request', get('/v1/animals', 'host: x', 'authorization: a', 'Authorization: b')],
    ['a malformed path', 'invalid_request', get('/v1/animals/%E0%A4%A', 'host: x')],
    ['a path of no resource', 'not_found', get('*', 'host: x')],
    ['a long URL', 'uri_too_long', get(`/v1/animals?x=${'y'.repeat(5_000)}`, 'host: x')],
    ['a URL over the parser’s limit', 'uri_too_long', get(`/v1/animals?x=${'y'.repeat(20_000)}`, 'host: x')],
    ['a long path parameter', 'uri_too_long', get(`/v1/animals/${'y'.repeat(1_000)}`, 'host: x')],
    ['a long header', 'headers_too_large', get('/v1/animals', 'host: x', `x: ${'y'.repeat(20_000)}`)],
    ['an unknown expectation', 'expectation_failed', get('/v1/animals', 'host: x', 'expect: nope')],
    ['two lengths', 'invalid_request', post('{}', 'content-length: 2', 'content-length: 3')],
    ['a length and chunks', 'invalid_request', post('0\r\n\r\n', 'content-length: 5', 'transfer-encoding: chunked')],
    ['an unknown coding', 'invalid_request', post('{}', 'transfer-encoding: nope')],
    ['a space before a colon', 'invalid_request', get('/v1/animals', 'host: x', 'x : y')],
    ['a folded header', 'invalid_request', get('/v1/animals', 'host: x', 'x: y', ' z')],
    ['a NUL in a header', 'invalid_request', get('/v1/animals', 'host: x', 'x: \0')],
  ])('is refused in the error format: %s: %s', async (_name, code, bytes) => {
    const answer = await app.exchange(bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const status = errorStatus[code];
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/\r\ncontent-type: application\/json; charset=utf-8(\r\n|$)/i);
    expect(head).toMatch(/\r\nx-request-id: [\w-]{36}(\r\n|$)/i);
    expect(JSON.parse(body)).toEqual({ code, message: expect.any(String), status });
  });

  it('is accepted without Host in HTTP/1.0', async () => {
    expect(await app.exchange('GET /v1/animals HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is not one with an absolute URL, as proxies send it', async () => {
    const answer = await app.exchange(get('http://x/v1/animals', 'host: x'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\ncache-control: no-store\r\n/);
    expect(await app.exchange(get('http://x/v1/animals/7/verify', 'host: x'))).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('is not one that expects 100-continue', async () => {
    const body = '{"name":"Rex","categoryId":1}';
    const headers = ['content-type: application/json', `content-length: ${body.length}`, 'expect: 100-continue'];
    expect(await app.exchange(post(body, ...headers))).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it.each([
    ['too large', 413, ['content-length: 65537']],
    ['from a stranger', 401, ['content-length: 2', 'authorization: none']],
  ])('that expects 100-continue is refused before the body is sent: %s', async (_what, status, headers) => {
    const answer = await app.exchange(post('', 'content-type: application/json', 'expect: 100-continue', ...headers));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nconnection: close\r\n`, 'i'));
    expect(answer).not.toContain('100 Continue');
  });

  it('is refused with problem details for a client that prefers them', async () => {
    const accept = 'accept: application/problem+json';
    for (const bytes of [
      get('/v1/animals', 'host: x', 'expect: nope', accept),
      get('/v1/animals/%E0%A4%A', 'host: x', accept),
    ]) {
      const answer = await app.exchange(bytes);
      expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json/i);
      expect(answer).toContain('"type":"https://api.example/problems/');
    }
  });
});

describe('X-Request-Id', () => {
  const paths = ['/v1/animals', '/v1/nothing', '/v1/animals?limit=0', '/v1/animals/%zz', '/v1/animals/broken'];

  it.each(paths)('of the client comes back from %s', async (path) => {
    const answer = await app.fetch(path, { headers: { 'x-request-id': 'My_request-1' } });
    expect(answer.headers.get('x-request-id')).toBe('My_request-1');
  });

  it.each(['', 'a b', 'a"b', 'é', 'x'.repeat(65), 'a, b'])('is replaced when it is %j', async (given) => {
    const answer = await app.fetch('/v1/animals', { headers: { 'x-request-id': given } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(paths)('is in the log of %s, which has the route and no URL', async (path) => {
    const answer = await app.fetch(`${path}${path.includes('?') ? '&' : '?'}key=secret`, {
      headers: { 'x-request-id': `log-${paths.indexOf(path)}`, authorization: 'Bearer secret' },
    });
    await answer.text();
    const requestId = `log-${paths.indexOf(path)}`;
    expect(await logged(requestId)).toEqual({
      method: 'GET',
      route: routeOf(path),
      status: answer.status,
      completed: true,
      address: '127.0.0.1',
      ms: expect.any(Number),
      requestId,
    });
    expect(JSON.stringify(app.accesses)).not.toContain('secret');
  });

  it('is in the log of bytes that are not a request', async () => {
    for (const [bytes, status] of [
      ['NONSENSE\r\n\r\n', 400],
      [get('/', 'host: x', 'expect: nope'), 417],
    ] as const) {
      const requestId = /x-request-id: (\S+)/i.exec(await app.exchange(bytes))?.[1] ?? '';
      expect(await logged(requestId)).toMatchObject({ route: null, status, ms: null });
    }
  });

  it('is in the log of a client that left before the answer', async () => {
    const leaving = new AbortController();
    const answer = app.fetch('/v1/animals/slow', { signal: leaving.signal, headers: { 'x-request-id': 'left' } });
    await waitUntil(() => app.slowRequests() > 0, { message: 'the request to come' });
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await logged('left')).toMatchObject({ route: '/v1/animals/slow', completed: false });
  });
});

function logged(requestId: string) {
  return waitUntil(() => app.accesses.find((access) => access.requestId === requestId), { message: 'the log line' });
}

function routeOf(path: string): string | null {
  if (path === '/v1/animals/broken') return path;
  return path.startsWith('/v1/animals') && !path.includes('%') ? '/v1/animals' : null;
}
