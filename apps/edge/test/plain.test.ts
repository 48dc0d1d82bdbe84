import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeRaw } from './visitor.js';
import { pendingRoute, platformRoute, redirectRoute, siteRoute, EdgeFixture } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.issue('site', 'site.test');
  await fixture.api.publishAndSettle({
    'site.test': siteRoute('site'),
    'moved.test': redirectRoute('site.test', null, 302),
    'issuing.test': pendingRoute,
    'acme.pets.test': { ...platformRoute, answersChallenges: false },
  });
});

afterAll(() => fixture.tearDown());

describe('the plain port', () => {
  it('redirects a site to HTTPS with path and query', async () => {
    const reply = await fixture.visitor.plain('site.test', { path: '//a/b?c=d' });
    expect(reply).toMatchObject({ status: 308, body: '' });
    expect(reply.headers).toMatchObject({ location: 'https://site.test//a/b?c=d', 'cache-control': 'max-age=60' });
  });

  it('answers a redirect even without a certificate', async () => {
    const reply = await fixture.visitor.plain('moved.test', { path: '/a?b', method: 'HEAD' });
    expect(reply.status).toBe(302);
    expect(reply.headers.location).toBe('https://site.test/a?b');
  });

  it('explains to the owner of an unknown host what to do', async () => {
    const reply = await fixture.visitor.plain('unknown.test', { headers: { accept: 'text/html' } });
    expect(reply.status).toBe(404);
    expect(reply.body).toContain('Add it to your project');
  });

  it('says that a certificate is pending', async () => {
    expect((await fixture.visitor.plain('issuing.test')).status).toBe(503);
  });

  const token = 'Zm9vYmFyLV9mb29iYXItXw';
  const challenge = `/.well-known/acme-challenge/${token}`;

  it.each(['issuing.test', 'site.test', 'moved.test', 'ISSUING.test:80'])(
    'answers a challenge for %s',
    async (host) => {
      const reply = await fixture.visitor.plain(host, { path: challenge });
      expect(reply).toMatchObject({ status: 200, body: `${token}.THUMBPRINT` });
      expect(reply.headers['content-type']).toBe('text/plain');
    },
  );

  it.each([
    ['a host it does not know', 'unknown.test', challenge],
    ['a host that answers none', 'acme.pets.test', challenge],
    ['a short token', 'issuing.test', '/.well-known/acme-challenge/short'],
    ['no token', 'issuing.test', '/.well-known/acme-challenge/'],
    ['a token with a dot', 'issuing.test', `${challenge}.x`],
    ['a path instead of a token', 'issuing.test', `/.well-known/acme-challenge/../${token}`],
    ['an encoded path', 'issuing.test', `/.well-known/acme-challenge/%2e%2e%2f${token}`],
  ])('answers no challenge for %s', async (_name, host, path) => {
    expect((await fixture.visitor.plain(host, { path })).status).toBe(404);
  });

  it.each([
    ['two Host headers', 'GET / HTTP/1.1\r\nHost: site.test\r\nHost: site.test\r\nConnection: close\r\n\r\n', 400],
    ['no Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a foreign absolute form', 'GET http://moved.test/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n', 400],
    ['its own absolute form', 'GET http://site.test/x HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n', 308],
    ['two lengths', 'GET / HTTP/1.1\r\nHost: site.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: site.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['TLS on the wrong port', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: site.test\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['an address that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: site.test\r\n\r\n`, 431],
  ])('answers %s with a status and closes', async (_name, text, status) => {
    const answer = await exchangeRaw(await fixture.visitor.tcp(), text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('ends a request whose headers never come', async () => {
    const answer = await exchangeRaw(await fixture.visitor.tcp(), 'GET / HTTP/1.1\r\nHost: si');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});
