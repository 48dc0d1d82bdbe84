import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askSite, buildSite, lasting } from './site.js';
import type { EdgeFixture } from './edge-fixture.js';
import type { Asking } from './visitor.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await buildSite();
});
afterAll(() => fixture.tearDown());

const ask = (path: string, headers: Asking['headers'] = {}, method = 'GET') => askSite(fixture, path, headers, method);

describe('a precondition', () => {
  it('answers 304 with the caching headers of a 200, and no body', async () => {
    const whole = await ask('/app.3f2a9c1b.js');
    const { etag = '' } = whole.headers;
    for (const list of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const reply = await ask('/app.3f2a9c1b.js', { 'if-none-match': list });
      expect(reply.status).toBe(304);
      expect(reply.bytes).toHaveLength(0);
      expect(lasting(reply)).toEqual({
        etag,
        vary: 'accept-encoding',
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await ask('/app.3f2a9c1b.js', { 'if-none-match': etag }, 'HEAD')).status).toBe(304);
  });

  it('answers 412 when it names another file', async () => {
    const { etag = '' } = (await ask('/')).headers;
    expect((await ask('/', { 'if-match': etag })).status).toBe(200);
    expect((await ask('/', { 'if-match': '*' })).status).toBe(200);
    expect((await ask('/', { 'if-match': `W/${etag}` })).status).toBe(412);
    expect((await ask('/', { 'if-match': '"other"' })).status).toBe(412);
  });

  it('is ignored for a missing page', async () => {
    expect((await ask('/nowhere', { 'if-none-match': '*', range: 'bytes=0-1' })).status).toBe(404);
  });
});

describe('a range', () => {
  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-500', '56789', 'bytes 5-9/10'],
  ])('%s is sent alone', async (range, body, contentRange) => {
    const reply = await ask('/digits.txt', { range, 'accept-encoding': 'br' });
    expect(reply).toMatchObject({ status: 206, body });
    expect(reply.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(body.length),
      'accept-ranges': 'bytes',
      'content-type': 'text/plain; charset=utf-8',
    });
  });

  it('of a large file is read from its start', async () => {
    const reply = await ask('/large.json', { range: 'bytes=5999990-' });
    expect(reply.status).toBe(206);
    expect(reply.body).toBe('l'.repeat(10));
    expect(reply.headers['content-range']).toBe('bytes 5999990-5999999/6000000');
  });

  it.each(['bytes=0-1,4-5', 'bytes=5-1', 'lines=1-2', 'nonsense'])(
    '%s is answered with the complete file',
    async (range) => {
      expect(await ask('/digits.txt', { range })).toMatchObject({ status: 200, body: '0123456789' });
    },
  );

  it.each(['bytes=10-', 'bytes=-0'])('%s is answered 416', async (range) => {
    const reply = await ask('/digits.txt', { range });
    expect(reply.status).toBe(416);
    expect(reply.headers['content-range']).toBe('bytes */10');
  });

  it('is ignored for HEAD', async () => {
    expect((await ask('/digits.txt', { range: 'bytes=0-3' }, 'HEAD')).status).toBe(200);
  });

  it('is sent only if If-Range names the current file', async () => {
    const { etag = '' } = (await ask('/digits.txt')).headers;
    const range = 'bytes=0-3';
    expect((await ask('/digits.txt', { range, 'if-range': etag })).status).toBe(206);
    for (const other of [`W/${etag}`, '"other"', 'Wed, 21 Oct 2026 07:28:00 GMT'])
      expect((await ask('/digits.txt', { range, 'if-range': other })).status).toBe(200);
  });
});
