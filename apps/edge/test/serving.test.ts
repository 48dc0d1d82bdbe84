import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { askHttp2 } from './visitor.js';
import { CONTENT_HASH, platformRoute, redirectRoute, siteRoute, EdgeFixture } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge({ PUBLIC_HTTPS_PORT: '8443' });
  await fixture.publishSite('site.test');
  await fixture.publishSite('other.test');
  await fixture.issue('moved', 'moved.test');
  await fixture.issue('empty', 'empty.test');
  await fixture.issue('idle', 'idle.test');
  await fixture.deploy({ 'about.html': 'no 404 page here' }, 'beef');
  await fixture.api.publishAndSettle({
    'moved.test': redirectRoute('site.test', 'moved', 301),
    'acme.pets.test': platformRoute,
    'empty.test': siteRoute('empty', 'beef'),
    'idle.test': { ...siteRoute('idle'), serve: null },
  });
});

afterAll(() => fixture.tearDown());

describe('a site over TLS', () => {
  it.each([
    ['/', 200, 'text/html; charset=utf-8', '<h1>Home</h1>'],
    ['/?a=b', 200, 'text/html; charset=utf-8', '<h1>Home</h1>'],
    ['/about', 200, 'text/html; charset=utf-8', 'About'],
    ['/about.html', 200, 'text/html; charset=utf-8', 'About'],
    ['/docs/', 200, 'text/html; charset=utf-8', 'Docs'],
    ['/assets/app.css', 200, 'text/css; charset=utf-8', 'body{}'],
    ['/%5Bslug%5D/%C3%A9.txt', 200, 'text/plain; charset=utf-8', 'odd name'],
    ['/assets', 404, 'text/html; charset=utf-8', 'Lost?'],
    ['/about.html/x', 404, 'text/html; charset=utf-8', 'Lost?'],
    [`/${'a'.repeat(300)}`, 404, 'text/html; charset=utf-8', 'Lost?'],
  ])('answers %s with %d by both protocols', async (path, status, contentType, body) => {
    const http1 = await fixture.visitor.secure('site.test', { path });
    const http2 = await askHttp2(await fixture.visitor.http2('site.test'), 'site.test', { path });
    for (const reply of [http1, http2]) {
      expect(reply).toMatchObject({ status, body });
      expect(reply.headers).toMatchObject({
        'content-type': contentType,
        'content-length': String(Buffer.byteLength(body)),
        'cache-control': 'public, max-age=0, must-revalidate',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('sends a complete large file', async () => {
    expect((await fixture.visitor.secure('site.test', { path: '/large.bin' })).body).toHaveLength(3_000_000);
    const session = await fixture.visitor.http2('site.test');
    expect((await askHttp2(session, 'site.test', { path: '/large.bin' })).body).toHaveLength(3_000_000);
  });

  it('answers all of many concurrent requests and connections', async () => {
    const session = await fixture.visitor.http2('site.test');
    const many = Array.from({ length: 80 }, (_, nth) => nth);
    const [streams, connections] = await Promise.all([
      Promise.all(many.map((nth) => askHttp2(session, 'site.test', { path: `/about?${nth}` }))),
      Promise.all(many.map((nth) => fixture.visitor.secure('site.test', { path: `/about?${nth}` }))),
    ]);
    expect(new Set([...streams, ...connections].map(({ status, body }) => `${status} ${body}`))).toEqual(
      new Set(['200 About']),
    );
  });

  it('answers HEAD with the headers of GET', async () => {
    const [get, head] = [
      await fixture.visitor.secure('site.test'),
      await fixture.visitor.secure('site.test', { method: 'HEAD' }),
    ];
    const lasting = (headers: typeof get.headers) => ({ ...headers, date: '', connection: '' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(lasting(head.headers)).toEqual(lasting(get.headers));
  });

  it('answers 304 to a client that has the file', async () => {
    const { headers } = await fixture.visitor.secure('site.test');
    const again = await fixture.visitor.secure('site.test', { headers: { 'if-none-match': headers.etag ?? '' } });
    expect(again).toMatchObject({ status: 304, body: '' });
    expect(again.headers.etag).toBe(headers.etag);
  });

  it('changes the tag with the deployment', async () => {
    const before = await fixture.visitor.secure('other.test');
    await fixture.deploy({ 'index.html': 'Second' }, 'dada');
    await fixture.api.publishAndSettle({ 'other.test': siteRoute('certificate-of-other.test', 'dada') });
    const after = await fixture.visitor.secure('other.test', {
      headers: { 'if-none-match': before.headers.etag ?? '' },
    });
    expect(after).toMatchObject({ status: 200, body: 'Second' });
  });

  it('serves platform hosts with the platform’s certificate', async () => {
    expect((await fixture.visitor.secure('acme.pets.test')).body).toBe('<h1>Home</h1>');
  });

  it('shows its own page where the project has no 404.html', async () => {
    const reply = await fixture.visitor.secure('empty.test', { path: '/nowhere' });
    expect(reply.status).toBe(404);
    expect(reply.body).toContain('There is no page at this address');
  });

  it('shows its own page in the format that the client asks for, and reflects nothing of the request', async () => {
    const path = '/<script>alert(1)</script>';
    const ask = (accept: string, method = 'GET') =>
      fixture.visitor.secure('empty.test', { path, method, headers: { accept } });
    const html = await ask('text/html,*/*;q=0.8');
    expect(html.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(html.body).toContain(`Reference ${String(html.headers['x-request-id'])}`);
    expect(html.body).not.toContain('alert');
    const json = await ask('application/json');
    expect(JSON.parse(json.body)).toMatchObject({
      code: 'not_found',
      status: 404,
      requestId: json.headers['x-request-id'],
    });
    expect((await ask('*/*')).headers['content-type']).toBe('text/plain; charset=utf-8');
    const head = await ask('text/html', 'HEAD');
    expect(head).toMatchObject({ status: 404, body: '' });
    expect(head.headers['content-length']).toMatch(/^\d{3,4}$/);
  });

  it('says that nothing is published while there is nothing to serve', async () => {
    const reply = await fixture.visitor.secure('idle.test');
    expect(reply.status).toBe(503);
    expect(reply.body).toMatch(/^Nothing published yet: /);
  });

  it('refuses to be written to', async () => {
    const reply = await fixture.visitor.secure('site.test', { method: 'POST' });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe('GET, HEAD');
  });

  it.each([
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/..%5c..%5cetc',
    '/assets/../../edge/edge-id',
    '/assets/%2e%2e/%2e%2e/secret',
    '/%00',
    '/a%00.html',
    '/%E0%A4%A',
    '/\\..\\x',
  ])('discloses no file at %s', async (path) => {
    await fixture.deploy({ secret: 'SECRET' }, 'aa');
    expect((await fixture.visitor.secure('site.test', { path })).status).toBe(400);
    const session = await fixture.visitor.http2('site.test');
    expect((await askHttp2(session, 'site.test', { path })).status).toBe(400);
  });

  it(`keeps the name of a deployment's folder to itself`, async () => {
    expect((await fixture.visitor.secure('site.test', { path: `/${CONTENT_HASH}/index.html` })).status).toBe(404);
  });
});

describe('a redirect over TLS', () => {
  it.each(['/a/b?c=d&e=%20', '//evil.com/..', '/%2f%2fevil.com', '/\\evil.com'])('keeps %s', async (path) => {
    const reply = await fixture.visitor.secure('moved.test', { path });
    expect(reply.status).toBe(301);
    expect(reply.headers).toMatchObject({ location: `https://site.test:8443${path}`, 'cache-control': 'max-age=60' });
    const session = await fixture.visitor.http2('moved.test');
    expect((await askHttp2(session, 'moved.test', { path })).headers.location).toBe(`https://site.test:8443${path}`);
  });

  it('answers HEAD', async () => {
    const reply = await fixture.visitor.secure('moved.test', { method: 'HEAD', path: '/x' });
    expect(reply).toMatchObject({ status: 301, body: '' });
  });
});

describe('names', () => {
  it.each([['unknown.test'], ['pets.test'], ['a.b.pets.test']])('refuses a handshake for %s', async (name) => {
    await expect(fixture.visitor.handshake(name)).rejects.toThrow('unrecognized name');
    await expect(fixture.visitor.handshake(name, { maxVersion: 'TLSv1.2' })).rejects.toThrow('unrecognized name');
  });

  it('refuses a handshake without a name', async () => {
    await expect(fixture.visitor.handshake(undefined)).rejects.toThrow(/handshake failure/);
  });

  it('refuses TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(fixture.visitor.handshake('site.test', old)).rejects.toThrow(/protocol version|unsupported protocol/);
  });

  it('finds a name however it is spelled', async () => {
    expect((await fixture.visitor.secure('site.test', { host: 'SITE.Test.:8443' })).status).toBe(200);
  });

  it('answers 421 for another name than that of the connection', async () => {
    expect((await fixture.visitor.secure('site.test', { host: 'other.test' })).status).toBe(421);
    const session = await fixture.visitor.http2('site.test');
    expect((await askHttp2(session, 'other.test')).status).toBe(421);
    expect((await askHttp2(session, 'site.test')).status).toBe(200);
  });

  it('answers 400 to two Host headers', async () => {
    const socket = await fixture.visitor.handshake('site.test');
    socket.write('GET / HTTP/1.1\r\nHost: site.test\r\nHost: site.test\r\n\r\n');
    const [head] = (await once(socket, 'data', { signal: AbortSignal.timeout(30_000) })) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1.1 400 /);
  });

  it('answers 431 to headers that are too large', async () => {
    const headers = { 'x-large': 'x'.repeat(20_000) };
    expect((await fixture.visitor.secure('site.test', { headers })).status).toBe(431);
  });

  it('resumes no session', async () => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const first = await fixture.visitor.handshake('site.test', { maxVersion });
      first.write('GET / HTTP/1.1\r\nHost: site.test\r\n\r\n');
      await once(first, 'data', { signal: AbortSignal.timeout(30_000) });
      const session = first.getSession();
      const second = await fixture.visitor.handshake('site.test', {
        maxVersion,
        ...(session === undefined ? {} : { session }),
      });
      expect(second.isSessionReused()).toBe(false);
    }
  });
});
