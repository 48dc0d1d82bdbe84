import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { askSite, buildSite, lasting, page, script } from './site.js';
import { siteRoute, type EdgeFixture } from './edge-fixture.js';
import { askHttp2, type Asking } from './visitor.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await buildSite();
});
afterAll(() => fixture.tearDown());

const ask = (path: string, headers: Asking['headers'] = {}, method = 'GET') => askSite(fixture, path, headers, method);

describe('a compressed response', () => {
  it.each([
    ['/', 'gzip, deflate, br', 'br', page],
    ['/', 'gzip', 'gzip', page],
    ['/app.3f2a9c1b.js', 'br;q=0.2, gzip;q=0.8', 'gzip', script],
    ['/ready.js', 'gzip, br', 'br', script],
    ['/ready.js', '*;q=0.1', 'br', script],
    ['/nowhere', 'br', 'br', `Lost? ${page}`],
  ])('of %s for a client that accepts %j is %s', async (path, accept, coding, content) => {
    const [first, again, http2] = [
      await ask(path, { 'accept-encoding': accept }),
      await ask(path, { 'accept-encoding': accept }),
      await askHttp2(await fixture.visitor.http2('site.test'), 'site.test', {
        path,
        headers: { 'accept-encoding': accept },
      }),
    ];
    for (const reply of [first, again, http2]) {
      expect(reply.headers).toMatchObject({
        'content-encoding': coding,
        'content-length': String(reply.bytes.length),
        vary: 'accept-encoding',
      });
      expect(reply.headers['accept-ranges']).toBeUndefined();
      expect((coding === 'br' ? brotliDecompressSync : gunzipSync)(reply.bytes).toString()).toBe(content);
    }
    expect(lasting(again)).toEqual(lasting(first));
  });

  it.each([
    ['/', undefined],
    ['/', 'identity'],
    ['/', 'zstd'],
    ['/photo.png', 'gzip, br'],
    ['/digits.txt', 'gzip, br'],
    ['/large.json', 'gzip, br'],
  ])('is not sent for %s with %j', async (path, accept) => {
    const reply = await ask(path, accept === undefined ? {} : { 'accept-encoding': accept });
    expect(reply.status).toBe(200);
    expect(reply.headers['content-encoding']).toBeUndefined();
  });

  it('contains exactly the deployed sibling, if there is one', async () => {
    expect((await ask('/ready.js', { 'accept-encoding': 'br' })).bytes).toEqual(brotliCompressSync(script));
    expect((await ask('/ready.js', { 'accept-encoding': 'gzip' })).bytes).toEqual(gzipSync(script));
    const itself = await ask('/ready.js.br');
    expect(itself.headers['content-encoding']).toBeUndefined();
    expect(itself.bytes).toEqual(brotliCompressSync(script));
  });

  it('has its own entity tag', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (coding) => (await ask('/', { 'accept-encoding': coding })).headers.etag),
    );
    expect(new Set(tags).size).toBe(3);
    const wrong = await ask('/', { 'accept-encoding': 'br', 'if-none-match': tags[1] ?? '' });
    const right = await ask('/', { 'accept-encoding': 'br', 'if-none-match': `"x", W/${tags[0] ?? ''}` });
    expect(wrong.status).toBe(200);
    expect(right.status).toBe(304);
  });

  it('is a 406 for a client that accepts no coding', async () => {
    const reply = await ask('/large.json', { 'accept-encoding': 'gzip, identity;q=0' });
    expect(reply.status).toBe(406);
    expect(reply.headers.vary).toBe('accept-encoding');
  });
});

describe('HEAD', () => {
  it.each([
    ['/', 'br'],
    ['/', 'identity'],
    ['/ready.js', 'gzip'],
    ['/digits.txt', 'br'],
    ['/empty.txt', 'br'],
    ['/large.json', 'br'],
    ['/nowhere', 'gzip'],
    ['/%2e%2e/x', 'gzip'],
  ])('of %s for %s has the headers of GET', async (path, accept) => {
    const head = await ask(path, { 'accept-encoding': accept }, 'HEAD');
    const get = await ask(path, { 'accept-encoding': accept });
    expect(head.status).toBe(get.status);
    expect(head.bytes).toHaveLength(0);
    expect(lasting(head)).toEqual(lasting(get));
  });
});

describe('a cached response', () => {
  it('does not depend on the query', async () => {
    const [first, ...others] = [
      await ask('/digits.txt'),
      await ask('/digits.txt'),
      await ask('/digits.txt?a=1'),
      await ask('/digits.txt', { 'accept-encoding': 'br;q=0' }),
    ];
    for (const reply of others) {
      expect(reply.body).toBe(first.body);
      expect(lasting(reply)).toEqual(lasting(first));
    }
  });

  it('is not used after a new deployment', async () => {
    await fixture.publishSite('changing.test');
    const asking = () => fixture.visitor.secure('changing.test', { path: '/about' });
    expect((await asking()).body).toBe('About');
    expect((await asking()).body).toBe('About');
    await fixture.deploy({ 'about.html': 'New' }, 'beef');
    await fixture.api.publishAndSettle({ 'changing.test': siteRoute('certificate-of-changing.test', 'beef') });
    expect((await asking()).body).toBe('New');
    expect((await asking()).body).toBe('New');
  });

  it('belongs to one deployment, even when others have the same path', async () => {
    await fixture.deploy({ 'index.html': 'Other' }, 'face');
    await fixture.issue('other', 'other.test');
    await fixture.api.publishAndSettle({ 'other.test': siteRoute('other', 'face') });
    const bodies = [await ask('/'), await fixture.visitor.secure('other.test'), await ask('/')].map(({ body }) => body);
    expect(bodies).toEqual([page, 'Other', page]);
  });
});

it('a malformed path ends the connection', async () => {
  const reply = await ask('/%2e%2e/x', { connection: 'keep-alive' });
  expect(reply.status).toBe(400);
  expect(reply.headers.connection).toBe('close');
});
