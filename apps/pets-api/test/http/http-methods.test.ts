import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startHttpApp, type HttpApp } from './http-app.js';

let app: HttpApp;

beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(() => app.close());

const collection = 'GET, HEAD, OPTIONS, POST';

describe('an unsupported method', () => {
  it.each([
    ['PUT', '/v1/animals', collection],
    ['DELETE', '/v1/animals', collection],
    ['PATCH', '/v1/animals?limit=1', collection],
    ['PROPFIND', '/v1/animals', collection],
    ['POST', '/v1/animals/7', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/animals/7/verify', 'OPTIONS, POST'],
    ['HEAD', '/v1/animals/7/verify', 'OPTIONS, POST'],
    ['PUT', '/v1/%61nimals', collection],
  ])('is answered 405 with the allowed methods: %s %s', async (method, path, allow) => {
    const answer = await app.fetch(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD')
      expect(await answer.json()).toEqual({
        code: 'method_not_allowed',
        message: `This path allows ${allow}.`,
        status: 405,
      });
  });

  it('is answered 405 when fetch would not send it', async () => {
    const answer = await app.exchange('TRACE /v1/animals HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: GET, HEAD, OPTIONS, POST\r\n/);
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/v1/animals', collection],
    ['/v1/animals/7', 'GET, HEAD, OPTIONS'],
    ['/v1/animals/7/verify', 'OPTIONS, POST'],
  ])('of %s lists the methods, without a body or a key', async (path, allow) => {
    const answer = await app.fetch(path, { method: 'OPTIONS', headers: { authorization: 'none' } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(await answer.text()).toBe('');
  });

  it('of an unknown path is 404', async () => {
    expect((await app.fetch('/v1/nothing', { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('HEAD', () => {
  it('has the headers of GET', async () => {
    const headersOf = async (method: string) => {
      const answer = await app.fetch('/v1/animals?limit=3', { method, headers: { 'x-request-id': 'same' } });
      expect(answer.status).toBe(200);
      return Object.fromEntries(
        [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)),
      );
    };
    const head = await headersOf('HEAD');
    expect(head).toEqual(await headersOf('GET'));
    expect(head).toMatchObject({ 'content-length': expect.any(String), link: expect.stringContaining('rel="next"') });
  });
});

describe('the order of checks', () => {
  const ask = (method: string, path: string, headers: Record<string, string>, body = '{') =>
    app.fetch(path, {
      method,
      headers: { 'content-type': 'text/plain', accept: 'text/html', ...headers },
      ...(method === 'GET' ? {} : { body }),
    });
  const nobody = { authorization: 'none' };

  it.each<[number, string, string, Record<string, string>]>([
    [404, 'POST', '/v1/nothing?x=%zz', nobody],
    [405, 'PUT', '/v1/animals?x=%zz', nobody],
    [401, 'POST', '/v1/animals?x=%zz', nobody],
    [406, 'POST', '/v1/animals?x=%zz', {}],
    [415, 'POST', '/v1/animals?x=%zz', { accept: '*/*' }],
    [400, 'POST', '/v1/animals?x=%zz', { accept: '*/*', 'content-type': 'application/json' }],
  ])('answers %i for %s %s with %j', async (status, method, path, headers) => {
    expect((await ask(method, path, headers)).status).toBe(status);
  });

  it.each(['/v1/animals/', '/v1//animals', '/V1/animals', '/v1/animals//verify', '/'])(
    'there is nothing at %s, whatever the method',
    async (path) => {
      for (const method of ['PUT', 'OPTIONS', 'DELETE'])
        expect([path, method, (await app.fetch(path, { method })).status]).toEqual([path, method, 404]);
    },
  );
});
