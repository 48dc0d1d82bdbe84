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

describe('a compressed file', () => {
  it.each([
    ['/', 'gzip, deflate, br', 'br', page],
    ['/', 'gzip', 'gzip', page],
    ['/app.3f2a9c1b.js', 'br;q=0.2, gzip;q=0.8', 'gzip', script],
    ['/ready.js', 'gzip, br', 'br', script],
    ['/ready.js', '*;q=0.1', 'br', script],
    ['/nowhere', 'br', 'br', `Lost? ${page}`],
  ])('%s is sent to who accepts %j as %s', async (path, accept, coding, content) => {
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
  ])('is none at %s for %j', async (path, accept) => {
    const reply = await ask(path, accept === undefined ? {} : { 'accept-encoding': accept });
    expect([reply.status, reply.headers['content-encoding']]).toEqual([200, undefined]);
  });

  it('is the sibling that was deployed, byte for byte', async () => {
    expect((await ask('/ready.js', { 'accept-encoding': 'br' })).bytes).toEqual(brotliCompressSync(script));
    expect((await ask('/ready.js', { 'accept-encoding': 'gzip' })).bytes).toEqual(gzipSync(script));
    const itself = await ask('/ready.js.br');
    expect([itself.headers['content-encoding'], itself.bytes]).toEqual([undefined, brotliCompressSync(script)]);
  });

  it('has a tag of its own', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (coding) => (await ask('/', { 'accept-encoding': coding })).headers.etag),
    );
    expect(new Set(tags).size).toBe(3);
    const wrong = await ask('/', { 'accept-encoding': 'br', 'if-none-match': tags[1] ?? '' });
    const right = await ask('/', { 'accept-encoding': 'br', 'if-none-match': `"x", W/${tags[0] ?? ''}` });
    expect([wrong.status, right.status]).toEqual([200, 304]);
  });

  it('is 406 to who accepts nothing', async () => {
    const reply = await ask('/large.json', { 'accept-encoding': 'gzip, identity;q=0' });
    expect([reply.status, reply.headers.vary]).toEqual([406, 'accept-encoding']);
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
  ])('%s for %s says what GET does', async (path, accept) => {
    const head = await ask(path, { 'accept-encoding': accept }, 'HEAD');
    const get = await ask(path, { 'accept-encoding': accept });
    expect([head.status, head.bytes.length, lasting(head)]).toEqual([get.status, 0, lasting(get)]);
  });
});

describe('an answer out of memory', () => {
  it('is that of the address alone, whatever the query says', async () => {
    const [first, ...others] = [
      await ask('/digits.txt'),
      await ask('/digits.txt'),
      await ask('/digits.txt?a=1'),
      await ask('/digits.txt', { 'accept-encoding': 'br;q=0' }),
    ];
    for (const reply of others) expect([reply.body, lasting(reply)]).toEqual([first.body, lasting(first)]);
  });

  it('is the new one as soon as another deployment is served', async () => {
    await fixture.publishSite('changing.test');
    const asking = () => fixture.visitor.secure('changing.test', { path: '/about' });
    expect([(await asking()).body, (await asking()).body]).toEqual(['About', 'About']);
    await fixture.deploy({ 'about.html': 'New' }, 'beef');
    await fixture.api.publishAndSettle({ 'changing.test': siteRoute('certificate-of-changing.test', 'beef') });
    expect([(await asking()).body, (await asking()).body]).toEqual(['New', 'New']);
  });

  it('belongs to one deployment, though others have the address, too', async () => {
    await fixture.deploy({ 'index.html': 'Other' }, 'face');
    await fixture.issue('other', 'other.test');
    await fixture.api.publishAndSettle({ 'other.test': siteRoute('other', 'face') });
    const bodies = [await ask('/'), await fixture.visitor.secure('other.test'), await ask('/')].map(({ body }) => body);
    expect(bodies).toEqual([page, 'Other', page]);
  });
});

it('ends the connection after a path that makes no sense', async () => {
  const reply = await ask('/%2e%2e/x', { connection: 'keep-alive' });
  expect([reply.status, reply.headers.connection]).toEqual([400, 'close']);
});
