import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startHttpApp, type HttpApp } from './http-app.js';

let app: HttpApp;

beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(() => app.close());

const ask = (path: string, accept: string) => app.fetch(path, { headers: { accept } });

describe('Accept', () => {
  it.each([
    'application/json',
    'application/JSON; charset=utf-8',
    'application/*',
    '*/*',
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'application/problem+json',
    'text/html;q=1, application/json;q=0.1',
    'nonsense',
    '',
  ])('%j is served', async (accept) => {
    const answer = await ask('/v1/animals', accept);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it.each([
    'application/xml',
    'text/*',
    'application/json;q=0',
    'application/json;q=0, text/html',
    '*/*;q=0',
    '*/*, application/json;q=0',
  ])('%j is answered 406', async (accept) => {
    const answer = await ask('/v1/animals', accept);
    expect(answer.status).toBe(406);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toMatchObject({ code: 'not_acceptable', status: 406 });
  });

  it('selects a stream of events, on routes that have one', async () => {
    expect((await ask('/v1/projects/7/events', 'text/event-stream')).status).toBe(200);
    expect((await ask('/v1/animals', 'text/event-stream')).status).toBe(406);
  });
});

describe('problem details', () => {
  it('describe the same error in the format of RFC 9457', async () => {
    const answer = await app.fetch('/v1/animals?limit=0', {
      headers: { accept: 'application/problem+json', 'x-request-id': 'r1' },
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await answer.json()).toEqual({
      errors: [{ field: 'limit', message: 'must be an integer from 1 to 100' }],
      type: 'https://api.example/problems/invalid_parameter',
      title: 'Invalid parameter',
      status: 400,
      detail: 'limit: must be an integer from 1 to 100',
      code: 'invalid_parameter',
      instance: '/requests/r1',
    });
  });

  it.each([
    ['application/json, application/problem+json', true],
    ['application/problem+json;q=0.5, */*;q=0.1', true],
    ['application/json, application/problem+json;q=0.5', false],
    ['application/problem+json;q=0, application/json', false],
    ['application/json', false],
    ['application/*', false],
    ['*/*', false],
  ])('are sent to a client that accepts %j: %j', async (accept, isProblem) => {
    for (const path of ['/v1/nothing', '/v1/animals?limit=0', '/v1/animals/broken', '/v1/animals/%zz']) {
      const type = (await ask(path, accept)).headers.get('content-type');
      expect([path, type?.startsWith('application/problem+json')]).toEqual([path, isProblem]);
    }
  });
});

describe('an internal error', () => {
  it('does not reveal its cause', async () => {
    const answer = await app.fetch('/v1/animals/broken');
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe('{"code":"internal","message":"Something went wrong on our side.","status":500}');
  });
});
