import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, endingOrigins, serveApplication, TestOrigin } from './forwarding-fixture.js';
import { askHttp2, exchangeRaw } from './visitor.js';

const HOST = 'app.pets.test';

let fixture: EdgeFixture;
let origin: TestOrigin;
/** Everything that the application received. */
let received = '';

beforeAll(async () => {
  fixture = await buildForwardingFixture();
  origin = await TestOrigin.raw((socket) =>
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (received.endsWith('\r\n\r\n') || received.endsWith('body'))
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    }),
  );
  await serveApplication(fixture, HOST, origin.url);
});
beforeEach(() => {
  received = '';
});
afterAll(async () => {
  await origin.close();
  await fixture.tearDown();
});

const fieldsOf = (name: string) =>
  received
    .split('\r\n')
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());

async function exchange(text: string, host = HOST): Promise<string> {
  const socket = await fixture.visitor.handshake(host);
  socket.on('error', () => undefined); // it may be reset while the rest is being sent
  return exchangeRaw(socket, text);
}

const get = (lines: string, target = '/') => `GET ${target} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`;

describe('what a visitor claims', () => {
  it.each([
    ['x-pets-domain', HOST],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', HOST],
    ['forwarded', `for=127.0.0.1;host="${HOST}";proto=https`],
    ['host', HOST],
    ['via', '1.1 pets.test'],
  ])('about the connection removes nothing of the edge: Connection: %s', async (name, value) => {
    await exchange(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close, ${name}\r\n\r\n`);
    expect(fieldsOf(name)).toEqual([value]);
  });

  it('in trailers does not arrive', async () => {
    const trailers = 'X-Pets-Domain: evil.test\r\nX-Forwarded-For: 1.2.3.4\r\nContent-Length: 9\r\n';
    const head = `POST / HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Pets-Domain\r\n`;
    await exchange(`${head}Connection: close\r\n\r\n4\r\nbody\r\n0\r\n${trailers}\r\n`);
    expect([fieldsOf('x-pets-domain'), fieldsOf('trailer')]).toEqual([[HOST], []]);
    expect(received).not.toMatch(/evil|1\.2\.3\.4/);

    received = '';
    const session = await fixture.visitor.http2(HOST);
    const stream = session.request({ ':method': 'POST', ':authority': HOST }, { waitForTrailers: true });
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'x-pets-domain': 'evil.test', 'x-forwarded-for': '1.2.3.4' }),
    );
    stream.end('body');
    await once(stream, 'response');
    expect(received).not.toMatch(/evil|1\.2\.3\.4/);
  });

  it.each([
    ['X-Pets-Domain', 'x_pets_domain', 'X-PETS_DOMAIN', 'x-pets-Domain-Id', 'X_Pets_Metadata'],
    ['X-Forwarded-Proto', 'x_forwarded_proto', 'X-Forwarded-Port', 'x_forwarded-prefix'],
    ['X-Real-IP', 'X_Real_IP', 'Forwarded', 'x-request_id', 'Proxy', 'Signature-Input'],
  ])('in fields of the edge does not arrive, however it is written: %s', async (...names) => {
    await exchange(get(`Host: ${HOST}\r\n${names.map((name) => `${name}: evil`).join('\r\n')}`));
    expect(received).not.toContain('evil');
    const session = await fixture.visitor.http2(HOST);
    await askHttp2(session, HOST, { headers: Object.fromEntries(names.map((name) => [name.toLowerCase(), 'evil'])) });
    expect(received).not.toContain('evil');
  });

  it.each([
    ['a quote', `${HOST}";for=1.2.3.4;x="`],
    ['another host', 'evil.test'],
    ['a port and a host', `${HOST}:443@evil.test`],
    ['a list', `${HOST}, evil.test`],
    ['a fragment', `${HOST}#@evil.test`],
    ['a backslash', `${HOST}\\evil.test`],
    ['a space', `${HOST} evil.test`],
  ])('as its host is refused: %s', async (_name, host) => {
    expect(await exchange(get(`Host: ${host}`))).toMatch(/^HTTP\/1\.1 4\d\d /);
    const session = await fixture.visitor.http2(HOST);
    const reply = await askHttp2(session, host).catch(() => ({ status: 400 }));
    expect([400, 421]).toContain(reply.status);
    expect(received).toBe('');
  });

  it('as its host arrives as the platform reads it, with its port and case', async () => {
    for (const host of [`${HOST.toUpperCase()}:443`, `${HOST}.`]) {
      received = '';
      await exchange(get(`Host: ${host}`));
      expect(fieldsOf('host')).toEqual([host]);
      expect(fieldsOf('x-forwarded-host')).toEqual([host]);
      expect(fieldsOf('x-pets-domain')).toEqual([HOST]);
    }
  });

  it('as another authority than its host is refused', async () => {
    const session = await fixture.visitor.http2(HOST);
    const reply = await askHttp2(session, HOST, { headers: { host: 'evil.test' } }).catch(() => ({ status: 400 }));
    expect([400, 421]).toContain(reply.status);
    expect(received).toBe('');
  });
});

describe('a target', () => {
  it.each([
    '/../../etc/passwd',
    '//evil.test/',
    '/%2e%2e/',
    '/a;b=c',
    '/a//b/./c',
    '/%',
    '/a?b?c',
    '/\\evil.test',
    '/%00',
  ])('arrives as it was sent: %s', async (target) => {
    await exchange(get(`Host: ${HOST}`, target));
    expect(received.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`);
    received = '';
    expect((await askHttp2(await fixture.visitor.http2(HOST), HOST, { path: target })).status).toBe(200);
    expect(received.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`);
  });

  it('in absolute form becomes a path: the application is no proxy', async () => {
    await exchange(get(`Host: ${HOST}`, `https://${HOST}/a?b`));
    expect(received.split('\r\n')[0]).toBe('GET /a?b HTTP/1.1');
  });

  it.each([`http://evil.test/`, `https://${HOST}@evil.test/`, '*', 'evil.test:443', ''])(
    'of another form is refused: "%s"',
    async (target) => {
      expect(await exchange(get(`Host: ${HOST}`, target))).toMatch(/^HTTP\/1\.1 4\d\d /);
      const session = await fixture.visitor.http2(HOST);
      const reply = await askHttp2(session, HOST, { path: target }).catch(() => ({ status: 400 }));
      expect(reply.status).toBe(400);
      expect(received).toBe('');
    },
  );
});

describe('a tunnel that is no WebSocket', () => {
  it('by CONNECT is refused', async () => {
    expect(await exchange(`CONNECT ${HOST}:443 HTTP/1.1\r\nHost: ${HOST}:443\r\n\r\n`)).not.toContain(' 200 ');
    const session = await fixture.visitor.http2(HOST);
    const stream = session.request({ ':method': 'CONNECT', ':authority': HOST });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(400);
    expect(received).toBe('');
  });

  it('by extended CONNECT (RFC 8441) is refused, since no setting offers it', async () => {
    const session = await fixture.visitor.http2(HOST);
    expect(session.remoteSettings.enableConnectProtocol ?? false).toBe(false);
    const stream = session.request({
      ...{ ':method': 'CONNECT', ':protocol': 'websocket', ':scheme': 'https', ':path': '/', ':authority': HOST },
    });
    const outcome = await once(stream, 'response').then(
      ([headers]: Record<string, unknown>[]) => headers?.[':status'],
      (error: { readonly code?: string }) => error.code,
    );
    expect([400, 501, 'ERR_HTTP2_STREAM_ERROR']).toContain(outcome);
    expect((await askHttp2(await fixture.visitor.http2(HOST), HOST)).status).toBe(200);
  });

  it.each([
    ['with a body', 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a2V5\r\nContent-Length: 4'],
    ['without a key', 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nContent-Length: 4'],
    ['of h2c', 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\nContent-Length: 4'],
    ['of TLS', 'Upgrade: TLS/1.2\r\nContent-Length: 4'],
  ])('is an ordinary request: an upgrade %s', async (_name, lines) => {
    const answer = await exchange(
      `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade, close\r\n${lines}\r\n\r\nbody`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect([fieldsOf('upgrade'), fieldsOf('http2-settings')]).toEqual([[], []]);
    expect(received).not.toMatch(/connection: .*upgrade/i);
  });
});

describe('the plain port', () => {
  it.each([
    [
      'a WebSocket',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a2V5',
    ],
    ['a body', 'Content-Length: 30\r\nConnection: close'],
    ['chunks that hide a request', 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\nConnection: close'],
  ])('never forwards: %s', async (_name, lines) => {
    const socket: Socket = await fixture.visitor.tcp();
    socket.on('error', () => undefined);
    const answer = await exchangeRaw(
      socket,
      `GET / HTTP/1.1\r\nHost: ${HOST}\r\n${lines}\r\n\r\n0\r\n\r\nGET /b HTTP/1.1\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 (?:308|400) /);
    expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    expect(received).toBe('');
  });
});

describe('100 Continue', () => {
  const ending = endingOrigins();

  it('is not said for an application that is gone', async () => {
    const gone = await TestOrigin.raw(() => undefined);
    const { url } = gone;
    await gone.close();
    await serveApplication(fixture, 'gone.pets.test', url);
    const head = 'POST / HTTP/1.1\r\nHost: gone.pets.test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n';
    expect(await exchange(head, 'gone.pets.test')).toMatch(/^HTTP\/1\.1 502 /);
    const session = await fixture.visitor.http2('gone.pets.test');
    const stream = session.request({ ':method': 'POST', ':authority': 'gone.pets.test', expect: '100-continue' });
    const informed: unknown[] = [];
    stream.on('headers', (headers) => informed.push(headers)).on('continue', () => informed.push('continue'));
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect([headers[':status'], informed]).toEqual([502, []]);
    stream.close();
  });

  it('of another kind is refused or dropped, and never arrives', async () => {
    const early = await TestOrigin.http((request, response) => {
      request.resume();
      response.end(String(request.headers.expect));
    });
    ending.push(early);
    await serveApplication(fixture, 'early.pets.test', early.url);
    const head = 'GET / HTTP/1.1\r\nHost: early.pets.test\r\nExpect: something\r\nConnection: close\r\n\r\n';
    expect(await exchange(head, 'early.pets.test')).toMatch(/^HTTP\/1\.1 (?:417 |200 [^]*undefined)/);
  });
});
