/** A site that links open answers strangers with 401 and nothing of its own, and is kept by no cache. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeRoute } from '@pets/contracts';
import { createLinkKeys, signLink, type LinkKeys } from '@pets/sites';
import { EdgeFixture, pendingRoute, siteRoute } from './edge-fixture.js';
import { askHttp2, exchangeRaw, type Asking, type Reply } from './visitor.js';

const HASH = 'ab04';
const HOST = 'protected.test';
const SINCE = Date.UTC(2026, 10, 29, 12) / 1_000;
const SECRET = 'not announced yet';

const site = {
  'index.html': `<h1>${SECRET}</h1>`,
  'about.html': `<p>${SECRET}</p>`.repeat(200),
  'docs/index.html': SECRET,
  'large.bin': Buffer.alloc(600_000, SECRET),
  '404.html': `Lost? ${SECRET}`,
  'open.json': '{}',
  _redirects: '/old /about\n/out https://new.example/ 302\n/app/* /docs/ 200\n',
  _headers:
    '/about\n  Cache-Control: public, max-age=600\n/open.json\n  Access-Control-Allow-Origin: https://app.example\n',
};

let fixture: EdgeFixture;
const keys = createLinkKeys();
const linkOf = ({ publicKey, privateKey }: LinkKeys, secondsLeft = 3_600) =>
  signLink({ publicKey, privateKey }, Math.floor(Date.now() / 1_000) + secondsLeft);
const cookieOf = (token: string) => `__Host-preview=${token}`;

const protectedBy = ({ publicKey }: LinkKeys, certificateId = 'protected'): EdgeRoute => ({
  ...siteRoute(certificateId, HASH),
  serve: { kind: 'site', contentHash: HASH, since: SINCE, linkKey: publicKey },
});
const openRoute = (certificateId: string): EdgeRoute => ({
  ...siteRoute(certificateId, HASH),
  serve: { kind: 'site', contentHash: HASH, since: SINCE },
});

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.deploy(site, HASH);
  for (const name of ['protected', 'open', 'changing', 'other']) await fixture.issue(name, `${name}.test`);
  await fixture.api.publishAndSettle({
    [HOST]: protectedBy(keys),
    'open.test': openRoute('open'),
    'other.test': protectedBy(createLinkKeys(), 'other'),
    'pending.test': pendingRoute,
  });
});
afterAll(() => fixture.tearDown());

/** The same request over HTTP/1.1 and over HTTP/2. */
async function ask(host: string, path: string, asking: Asking = {}): Promise<Reply[]> {
  const session = await fixture.visitor.http2(host);
  const replies = [
    await fixture.visitor.secure(host, { path, ...asking }),
    await askHttp2(session, host, { path, ...asking }),
  ];
  session.close();
  return replies;
}

function expectPrivate({ headers }: Reply): void {
  expect(headers['cache-control']).toBe('private, no-store');
  expect(headers.vary?.split(', ').at(-1)).toBe('cookie');
  expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(headers['access-control-allow-origin']).not.toBe('*');
}

function expectRefused(reply: Reply): void {
  expect(reply.status).toBe(401);
  expect(reply.headers['www-authenticate']).toBe('PreviewLink');
  expect(reply.body).not.toContain(SECRET);
  for (const name of ['etag', 'last-modified', 'location', 'set-cookie', 'content-range', 'content-encoding', 'link'])
    expect(reply.headers[name]).toBeUndefined();
  expectPrivate(reply);
}

describe('a stranger', () => {
  it.each<[string, string, Asking]>([
    ['GET', '/', {}],
    ['GET', '/docs', {}],
    ['GET', '/docs/', {}],
    ['GET', '/old', {}],
    ['GET', '/out', {}],
    ['GET', '/app/any', {}],
    ['GET', '/nowhere', {}],
    ['GET', '/_headers', {}],
    ['GET', '/large.bin', {}],
    ['GET', '/%', {}],
    ['GET', '/.well-known/acme-challenge/abcdefgh_-ABCDEFGH01', {}],
    ['GET', '/', { headers: { 'if-none-match': '*' } }],
    ['GET', '/', { headers: { 'if-match': '"a"' } }],
    ['GET', '/', { headers: { 'if-modified-since': new Date(SINCE * 1_000).toUTCString() } }],
    ['GET', '/large.bin', { headers: { range: 'bytes=0-9' } }],
    ['GET', '/large.bin', { headers: { range: 'bytes=9999999-' } }],
    ['HEAD', '/', {}],
    ['HEAD', '/nowhere', {}],
    ['POST', '/', {}],
    ['OPTIONS', '/', { headers: { origin: 'https://open.test', 'access-control-request-method': 'GET' } }],
    ['DELETE', '/nowhere', {}],
  ])('gets 401 for %s %s %j, though another host serves the same files', async (method, path, asking) => {
    await ask('open.test', path, { ...asking, method });
    for (const reply of await ask(HOST, path, { ...asking, method })) expectRefused(reply);
  });

  it.each<[string, () => string]>([
    ['a forged token', () => linkOf({ ...createLinkKeys(), publicKey: keys.publicKey })],
    ['a token of another channel', () => linkOf(createLinkKeys())],
    ['an ended token', () => linkOf(keys, 0)],
    ['a truncated token', () => linkOf(keys).slice(0, -1)],
    ['no token', () => ''],
  ])('gets 401 with %s', async (_name, token) => {
    for (const reply of await ask(HOST, `/?__preview=${token()}`)) expectRefused(reply);
    for (const reply of await ask(HOST, '/', { headers: { cookie: cookieOf(token()) } })) expectRefused(reply);
  });

  it('gets 401 with two tokens or two cookies', async () => {
    const token = linkOf(keys);
    for (const reply of await ask(HOST, `/?__preview=${token}&__preview=${token}`)) expectRefused(reply);
    const twice = `${cookieOf(token)}; ${cookieOf(token)}`;
    for (const reply of await ask(HOST, '/', { headers: { cookie: twice } })) expectRefused(reply);
    const socket = await fixture.visitor.handshake(HOST, { ALPNProtocols: ['http/1.1'] });
    const fields = `Cookie: ${cookieOf(token)}\r\n`.repeat(2);
    const raw = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n${fields}Connection: close\r\n\r\n`;
    expect(await exchangeRaw(socket, raw)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('reads why, in the form that it asks for', async () => {
    const json = await fixture.visitor.secure(HOST, { headers: { accept: 'application/json' } });
    expect(JSON.parse(json.body)).toMatchObject({ code: 'link_required', status: 401 });
    const html = await fixture.visitor.secure(HOST, { headers: { accept: 'text/html' } });
    expect(html.body).toContain('<h1>Open this site with its link</h1>');
  });

  it('of the plain port is sent to HTTPS, with the query', async () => {
    const reply = await fixture.visitor.plain(HOST, { path: '/docs?__preview=a&b' });
    expect(reply).toMatchObject({ status: 308, headers: { location: `https://${HOST}/docs?__preview=a&b` } });
    const challenge = await fixture.visitor.plain(HOST, {
      path: '/.well-known/acme-challenge/abcdefgh_-ABCDEFGH01',
    });
    expect(challenge.status).toBe(200);
  });
});

describe('a visitor with a link', () => {
  it.each(['GET', 'HEAD', 'POST'])('gets a cookie and the address without the token: %s', async (method) => {
    const token = linkOf(keys);
    for (const reply of await ask(HOST, `//docs/?a=%20b&__preview=${token}&c`, { method })) {
      expect(reply).toMatchObject({
        status: 303,
        body: '',
        headers: { location: `https://${HOST}//docs/?a=%20b&c`, 'referrer-policy': 'no-referrer' },
      });
      expect(reply.headers['set-cookie']).toHaveLength(1);
      const [pair, age, ...attributes] = reply.headers['set-cookie']?.[0]?.split('; ') ?? [];
      expect(pair).toBe(cookieOf(token));
      expect(Number(/^Max-Age=(\d+)$/.exec(age ?? '')?.[1])).toBeGreaterThan(3_000);
      expect(attributes).toEqual(['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']);
      expectPrivate(reply);
    }
  });

  it.each<[string, number, Asking]>([
    ['/', 200, {}],
    ['/about', 200, { headers: { 'accept-encoding': 'br' } }],
    ['/docs', 308, {}],
    ['/old', 301, {}],
    ['/out', 302, {}],
    ['/app/any', 200, {}],
    ['/nowhere', 404, {}],
    ['/%', 400, {}],
    ['/large.bin', 200, {}],
    ['/large.bin', 206, { headers: { range: 'bytes=0-9' } }],
    ['/large.bin', 416, { headers: { range: 'bytes=9999999-' } }],
    ['/', 304, { headers: { 'if-none-match': '*' } }],
    ['/', 304, { headers: { 'if-modified-since': new Date(SINCE * 1_000).toUTCString() } }],
    ['/', 200, { method: 'HEAD' }],
    ['/', 405, { method: 'POST' }],
  ])('gets %s with %d %j, which no cache keeps, though another host shares the files', async (path, status, asking) => {
    const headers = { ...asking.headers, cookie: `a=b; ${cookieOf(linkOf(keys))}` };
    for (let round = 0; round < 2; round++) {
      for (const reply of await ask(HOST, path, { ...asking, headers })) {
        expect(reply.status).toBe(status);
        expectPrivate(reply);
      }
      for (const { status: opened, headers: shared } of await ask('open.test', path, asking)) {
        expect(opened).toBe(status);
        expect(shared['cache-control']).not.toContain('private');
        expect(shared.vary ?? '').not.toContain('cookie');
        expect(shared['cross-origin-resource-policy']).toBeUndefined();
      }
    }
  });

  it('gets what the site allows to one other origin', async () => {
    const headers = { cookie: cookieOf(linkOf(keys)) };
    for (const reply of await ask(HOST, '/open.json', { headers }))
      expect(reply.headers['access-control-allow-origin']).toBe('https://app.example');
  });

  it('opens no other protected site', async () => {
    const headers = { cookie: cookieOf(linkOf(keys)) };
    for (const reply of await ask('other.test', '/', { headers })) expectRefused(reply);
  });

  it('may send each cookie in a field of its own, as browsers do over HTTP/2', async () => {
    const session = await fixture.visitor.http2(HOST);
    const headers = { cookie: ['a=b', cookieOf(linkOf(keys)), 'c=d'] };
    expect((await askHttp2(session, HOST, { headers })).status).toBe(200);
  });

  it('may send many large cookies beside', async () => {
    const others = Array.from({ length: 8 }, (_, at) => `c${at}=${'x'.repeat(1_000)}`).join('; ');
    const headers = { cookie: `${others}; ${cookieOf(linkOf(keys))}` };
    for (const reply of await ask(HOST, '/', { headers })) expect(reply.status).toBe(200);
  });
});

it('checks each request of an open connection with the current route', async () => {
  const [first, second] = [createLinkKeys(), createLinkKeys()];
  await fixture.api.publishAndSettle({ 'changing.test': openRoute('changing') });
  const agent = fixture.visitor.keepAliveAgent();
  const session = await fixture.visitor.http2('changing.test');
  const headers = { cookie: cookieOf(linkOf(first)) };
  const statuses = async (asking: Asking = {}) => [
    (await fixture.visitor.secure('changing.test', asking, agent)).status,
    (await askHttp2(session, 'changing.test', asking)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  await fixture.api.publishAndSettle({ 'changing.test': protectedBy(first, 'changing') });
  expect(await statuses()).toEqual([401, 401]);
  expect(await statuses({ headers })).toEqual([200, 200]);
  // Ended links: another key.
  await fixture.api.publishAndSettle({ 'changing.test': protectedBy(second, 'changing') });
  expect(await statuses({ headers })).toEqual([401, 401]);
  expect(await statuses({ headers: { cookie: cookieOf(linkOf(second)) } })).toEqual([200, 200]);
  await fixture.api.publishAndSettle({ 'changing.test': openRoute('changing') });
  expect(await statuses()).toEqual([200, 200]);
  expect(await statuses({ headers })).toEqual([200, 200]);
});

it('ends a connection that causes many checks, and serves the next one', async () => {
  const session = await fixture.visitor.http2(HOST);
  const ended = new Promise((resolve) => session.once('goaway', resolve));
  const agent = fixture.visitor.keepAliveAgent();
  const forged = () => ({ headers: { cookie: cookieOf(linkOf(createLinkKeys())) } });
  const connections: (string | undefined)[] = [];
  for (let at = 0; at < 8; at++) {
    expectRefused(await askHttp2(session, HOST, forged()));
    const reply = await fixture.visitor.secure(HOST, forged(), agent);
    expectRefused(reply);
    connections.push(reply.headers.connection);
  }
  await ended;
  expect(connections).toEqual([...Array.from({ length: 7 }, () => 'keep-alive'), 'close']);
  for (const reply of await ask(HOST, '/', { headers: { cookie: cookieOf(linkOf(keys)) } }))
    expect(reply.status).toBe(200);
});

it('ends links by the clock of the edge, without tolerance', async () => {
  const [early, late] = [linkOf(keys, 20), linkOf(keys, 3_600)];
  const statusOf = async (token: string) =>
    (await fixture.visitor.secure(HOST, { headers: { cookie: cookieOf(token) } })).status;
  expect(await statusOf(early)).toBe(200);
  fixture.clockAheadMs = 30_000;
  try {
    expect([await statusOf(early), await statusOf(late)]).toEqual([401, 200]);
  } finally {
    fixture.clockAheadMs = 0;
  }
});

it('logs no token', async () => {
  const token = linkOf(keys, 7_200);
  await ask(HOST, `/logged?__preview=${token}`);
  await ask(HOST, '/logged', { headers: { cookie: cookieOf(token) } });
  const lines = fixture.accessLines.filter((line) => line.includes('/logged'));
  expect(lines).toHaveLength(4);
  expect(lines.join('\n')).not.toContain(token.slice(0, 20));
});
