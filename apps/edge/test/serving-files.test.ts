import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { contentKey } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { askHttp2, type Asking, type Reply } from './visitor.js';
import { platformRoute, redirectRoute, siteRoute, Stand } from './stand.js';

const script = 'export const answer = 42;\n'.repeat(400);
const page = `<h1>Page</h1>${'<p>words and words</p>'.repeat(200)}`;
const large = Buffer.alloc(6_000_000, 'l');
const hsts = 'max-age=86400; includeSubDomains';

let stand: Stand;

beforeAll(async () => {
  stand = await Stand.build();
  await stand.startEdge();
  await stand.deploy(
    {
      'index.html': page,
      'app.3f2a9c1b.js': script,
      'ready.js': script,
      'ready.js.br': brotliCompressSync(script),
      'ready.js.gz': gzipSync(script),
      'digits.txt': '0123456789',
      'empty.txt': '',
      'photo.png': Buffer.alloc(5_000, 1),
      'large.json': large,
      '404.html': `Lost? ${page}`,
    },
    'f00d',
  );
  await stand.issue('site', 'site.test');
  await stand.issue('strict', 'strict.test');
  await stand.issue('moved', 'moved.test');
  await stand.api.publishAndSettle({
    'site.test': siteRoute('site', 'f00d'),
    'strict.test': { ...siteRoute('strict', 'f00d'), hsts },
    'moved.test': { ...redirectRoute('strict.test', 'moved', 301), hsts },
    'acme.pets.test': platformRoute,
  });
});

afterAll(() => stand.tearDown());

const ask = (path: string, headers: Asking['headers'] = {}, method = 'GET') =>
  stand.visitor.secure('site.test', { path, headers, method });

/** What stays the same from one answer to the next. */
const lasting = ({ headers }: Reply) => ({ ...headers, date: undefined, connection: undefined });

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
      await askHttp2(await stand.visitor.http2('site.test'), 'site.test', {
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

describe('a precondition', () => {
  it('answers 304 with what a 200 would say of caching, and no body', async () => {
    const whole = await ask('/app.3f2a9c1b.js');
    const { etag = '' } = whole.headers;
    for (const list of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const reply = await ask('/app.3f2a9c1b.js', { 'if-none-match': list });
      expect([reply.status, reply.bytes.length]).toEqual([304, 0]);
      expect(lasting(reply)).toEqual({
        etag,
        vary: 'accept-encoding',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await ask('/app.3f2a9c1b.js', { 'if-none-match': etag }, 'HEAD')).status).toBe(304);
  });

  it('answers 412 to who means another file', async () => {
    const { etag = '' } = (await ask('/')).headers;
    expect((await ask('/', { 'if-match': etag })).status).toBe(200);
    expect((await ask('/', { 'if-match': '*' })).status).toBe(200);
    expect((await ask('/', { 'if-match': `W/${etag}` })).status).toBe(412);
    expect((await ask('/', { 'if-match': '"other"' })).status).toBe(412);
  });

  it('is not heard of a page that is not there', async () => {
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

  it('of a large file is read from where it begins', async () => {
    const reply = await ask('/large.json', { range: 'bytes=5999990-' });
    expect([reply.status, reply.body, reply.headers['content-range']]).toEqual([
      206,
      'l'.repeat(10),
      'bytes 5999990-5999999/6000000',
    ]);
  });

  it.each(['bytes=0-1,4-5', 'bytes=5-1', 'lines=1-2', 'nonsense'])('%s is answered with the whole', async (range) => {
    expect(await ask('/digits.txt', { range })).toMatchObject({ status: 200, body: '0123456789' });
  });

  it.each(['bytes=10-', 'bytes=-0'])('%s is answered 416', async (range) => {
    const reply = await ask('/digits.txt', { range });
    expect([reply.status, reply.headers['content-range']]).toEqual([416, 'bytes */10']);
  });

  it('is not heard by HEAD', async () => {
    expect((await ask('/digits.txt', { range: 'bytes=0-3' }, 'HEAD')).status).toBe(200);
  });

  it('is sent only of the file that is still meant', async () => {
    const { etag = '' } = (await ask('/digits.txt')).headers;
    const range = 'bytes=0-3';
    expect((await ask('/digits.txt', { range, 'if-range': etag })).status).toBe(206);
    for (const other of [`W/${etag}`, '"other"', 'Wed, 21 Oct 2026 07:28:00 GMT'])
      expect((await ask('/digits.txt', { range, 'if-range': other })).status).toBe(200);
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

describe('Strict-Transport-Security', () => {
  it('is sent where the project asks for it, whatever the answer', async () => {
    for (const path of ['/', '/nowhere', '/%2e%2e'])
      expect((await stand.visitor.secure('strict.test', { path })).headers['strict-transport-security']).toBe(hsts);
    const { etag = '' } = (await stand.visitor.secure('strict.test')).headers;
    const known = await stand.visitor.secure('strict.test', { headers: { 'if-none-match': etag } });
    expect([known.status, known.headers['strict-transport-security']]).toEqual([304, hsts]);
    const moved = await stand.visitor.secure('moved.test', { method: 'HEAD' });
    expect([moved.status, moved.headers['strict-transport-security']]).toEqual([301, hsts]);
  });

  it('is sent nowhere else, and never over plain HTTP', async () => {
    const replies = [
      await ask('/'),
      await stand.visitor.secure('acme.pets.test'),
      await stand.visitor.plain('strict.test'),
      await stand.visitor.plain('moved.test'),
      await stand.visitor.secure('site.test', { host: 'strict.test' }),
    ];
    for (const { headers } of replies) expect(headers['strict-transport-security']).toBeUndefined();
  });
});

describe('the storage', () => {
  it('is not asked again for what was read', async () => {
    const content = 'read once';
    await stand.deploy({ 'index.html': content }, 'abba');
    await stand.issue('once', 'once.test');
    await stand.api.publishAndSettle({ 'once.test': siteRoute('once', 'abba') });
    expect((await stand.visitor.secure('once.test')).body).toBe(content);
    await rm(join(stand.folder, 'files', 'sites', 'abba.json'));
    await rm(fileOf(content));
    expect((await stand.visitor.secure('once.test')).body).toBe(content);
  });

  it('that has lost a file is an error of ours, and the connection stays clean', async () => {
    const content = 'lost';
    await stand.deploy({ 'index.html': content, 'other.html': 'kept' }, 'dead');
    await stand.issue('lost', 'lost.test');
    await stand.api.publishAndSettle({ 'lost.test': siteRoute('lost', 'dead') });
    await rm(fileOf(content));
    const agent = stand.visitor.keepAliveAgent();
    expect((await stand.visitor.secure('lost.test', {}, agent)).status).toBe(503);
    expect((await stand.visitor.secure('lost.test', { path: '/other' }, agent)).body).toBe('kept');
  });

  it('is not read on for a client that went away', async () => {
    const socket = await stand.visitor.handshake('site.test');
    socket.write('GET /large.json HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
    socket.pause();
    expect(await openFiles(large)).toBeGreaterThan(0);
    socket.destroy();
    await waitUntil(async () => (await openFiles(large)) === 0, { message: 'the file is closed' });
  });
});

describe('before the certificate exists', () => {
  it('a handshake is refused, and the first one afterwards is not', async () => {
    await stand.api.publishAndSettle({ 'soon.test': siteRoute(null, 'f00d') });
    await expect(stand.visitor.handshake('soon.test')).rejects.toThrow('unrecognized name');
    await stand.issue('soon', 'soon.test');
    await stand.api.publishAndSettle({ 'soon.test': siteRoute('soon', 'f00d') });
    expect((await stand.visitor.secure('soon.test')).status).toBe(200);
  });
});

describe('a redirect as curl -I shows it', () => {
  it('is as it is now, over HTTP and HTTPS alike', async () => {
    await stand.issue('turning', 'turning.test');
    const turns = [
      [redirectRoute('site.test', 'turning', 301), 301, 'https://site.test/a?b=c'],
      [redirectRoute('strict.test', 'turning', 307), 307, 'https://strict.test/a?b=c'],
    ] as const;
    for (const [route, status, location] of turns) {
      await stand.api.publishAndSettle({ 'turning.test': route });
      for (const method of ['HEAD', 'GET']) {
        const asking = { method, path: '/a?b=c', headers: { host: 'Turning.test' } };
        const replies = [
          await stand.visitor.secure('turning.test', asking),
          await stand.visitor.plain('turning.test', asking),
        ];
        for (const reply of replies) {
          expect(reply).toMatchObject({ status, body: '' });
          expect(lasting(reply)).toEqual({
            location,
            'cache-control': 'max-age=60',
            'content-length': '0',
            'x-content-type-options': 'nosniff',
          });
        }
      }
    }
  });
});

function fileOf(content: string | Buffer): string {
  return join(stand.folder, 'files', contentKey(createHash('sha256').update(content).digest('hex')));
}

/** How often this process has a content open; Linux tells. */
async function openFiles(content: Buffer): Promise<number> {
  const { readdir, readlink } = await import('node:fs/promises');
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target === fileOf(content)).length;
}
