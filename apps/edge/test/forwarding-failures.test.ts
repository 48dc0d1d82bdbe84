import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeOrigin } from '@pets/contracts/edge-feed';
import { waitUntil } from '@pets/testing';
import { makeCertificate } from './certificates.js';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, endingOrigins, read, serveApplication, TestOrigin } from './forwarding-fixture.js';
import { askHttp2 } from './visitor.js';

const HOST = 'app.pets.test';

let fixture: EdgeFixture;
const ending = endingOrigins();

beforeAll(async () => {
  fixture = await buildForwardingFixture();
});
afterEach(async () => {
  expect(await fixture.count('edge_forwarded_requests')).toBe(0);
});
afterAll(() => fixture.tearDown());

async function serveRaw(onConnection: (socket: Socket) => void, more: Partial<EdgeOrigin> = {}): Promise<TestOrigin> {
  const origin = await TestOrigin.raw(onConnection);
  ending.push(origin);
  await serveApplication(fixture, HOST, origin.url, more);
  return origin;
}

/** Answers each connection with a text, once it has sent something. */
const answering = (text: string) => (socket: Socket) => void socket.once('data', () => socket.end(text, 'latin1'));

const ask = (headers: Record<string, string> = {}) =>
  fixture.visitor.secure(HOST, { headers: { accept: 'application/json', ...headers } });

async function failureOf(headers: Record<string, string> = {}): Promise<{ status: number; code: unknown }> {
  const { status, body, headers: received } = await ask(headers);
  const error = JSON.parse(body) as { code: unknown; requestId: string };
  expect(error.requestId).toBe(received['x-request-id']);
  return { status, code: error.code };
}

describe('an answer that is not valid HTTP', () => {
  it.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an empty answer', ''],
    ['a head that ends early', 'HTTP/1.1 200 OK\r\nX: y'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a name that is no token', 'HTTP/1.1 200 OK\r\nA B: c\r\nContent-Length: 0\r\n\r\n'],
    ['a NUL in a value', 'HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n'],
    ['a bare CR in a value', 'HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: b\r\nContent-Length: 0\r\n\r\n'],
    ['a status beyond all classes', 'HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n'],
    ['101 that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['101 without an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['100 that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['endless interim answers', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)],
    ['a head of 1 MB', `HTTP/1.1 200 OK\r\n${`X: ${'y'.repeat(1_000)}\r\n`.repeat(1_000)}\r\n`],
  ])('is 502: %s', async (_name, text) => {
    await serveRaw(answering(text));
    expect(await failureOf()).toEqual({ status: 502, code: 'origin_invalid_answer' });
    expect((await askHttp2(await fixture.visitor.http2(HOST), HOST)).status).toBe(502);
  });

  it('is cut where it ends too early, so that visitors notice', async () => {
    await serveRaw(answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'));
    await expect(ask()).rejects.toThrow();
    await serveRaw(answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'));
    await expect(ask()).rejects.toThrow();
    await expect(askHttp2(await fixture.visitor.http2(HOST), HOST)).rejects.toThrow();
  });

  it('is passed where its length is the end of the connection', async () => {
    await serveRaw(answering('HTTP/1.0 200 OK\r\nX-Old: yes\r\n\r\nall of it'));
    expect(await ask()).toMatchObject({ status: 200, body: 'all of it' });
  });

  it('does not disturb the next request: more bytes than announced are dropped', async () => {
    await serveRaw((socket) =>
      socket.on(
        'data',
        () => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 X\r\n\r\n'),
      ),
    );
    for (let count = 0; count < 3; count++) expect((await ask()).body).toBe('ok');
  });
});

describe('an application that does not answer', () => {
  it('is 504 after the time of its origin', async () => {
    await serveRaw(() => undefined, { timeouts: { connect: 1, answer: 1, idle: 1 } });
    expect(await failureOf()).toEqual({ status: 504, code: 'origin_timeout' });
  });

  it('is cut when it stops within its answer', async () => {
    await serveRaw((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'), {
      timeouts: { connect: 1, answer: 1, idle: 1 },
    });
    await expect(ask()).rejects.toThrow();
  });

  it('is not the one whose visitor takes the answer later than it has ended', async () => {
    const timeouts = { connect: 1, answer: 1, idle: 1 };
    const body = 'x'.repeat(120_000); // more than the window of a stream, less than is read ahead besides
    const ended = await serveRaw(answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`), {
      timeouts,
    });
    const stream = (await fixture.visitor.http2(HOST)).request({ ':authority': HOST });
    await once(stream, 'response');
    await waitUntil(() => ended.sockets.size === 0, { message: 'the application has sent everything' });
    // Another one is silent for as long as that one may be, twice.
    const silent = await TestOrigin.raw((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    ending.push(silent);
    await serveApplication(fixture, 'silent.pets.test', silent.url, { timeouts });
    for (let count = 0; count < 2; count++) await expect(fixture.visitor.secure('silent.pets.test')).rejects.toThrow();
    expect(await read(stream)).toHaveLength(body.length);
  }, 20_000);

  it('is 502 where nothing listens', async () => {
    const origin = await serveRaw(() => undefined);
    await origin.close();
    expect(await failureOf()).toEqual({ status: 502, code: 'origin_unreachable' });
  });

  it('is 502 without an address', async () => {
    await serveApplication(fixture, HOST, 'http://no-such-name.invalid');
    expect(await failureOf()).toEqual({ status: 502, code: 'origin_unreachable' });
  });

  it('is 503 when all its connections are in use', async () => {
    const origin = await serveRaw(() => undefined, {
      maxConnections: 1,
      timeouts: { connect: 1, answer: 20, idle: 20 },
    });
    const session = await fixture.visitor.http2(HOST);
    const held = session.request({ ':authority': HOST }).on('error', () => undefined);
    await waitUntil(() => origin.sockets.size === 1, { message: 'its connection is in use' });
    const { status, headers } = await ask();
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    held.close(8);
    await waitUntil(async () => (await fixture.count('edge_forwarded_requests')) === 0, { message: 'it has ended' });
  });
});

describe('a request that fails on a connection that was used before', () => {
  /** Answers once, and closes the connection when the second request comes. */
  const closing = (seen: string[]) => (socket: Socket) => {
    let requests = 0;
    socket.on('data', (chunk: Buffer) => {
      seen.push(chunk.toString().split(' ', 1)[0] ?? '');
      requests += 1;
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else socket.destroy();
    });
  };

  it.each(['GET', 'OPTIONS', 'PUT', 'DELETE'])('is sent once more: %s', async (method) => {
    const seen: string[] = [];
    await serveRaw(closing(seen));
    expect((await ask()).body).toBe('ok');
    expect((await fixture.visitor.secure(HOST, { method })).body).toBe('ok');
    expect(seen).toEqual(['GET', method, method]);
  });

  it('is not repeated when it may have had an effect: POST', async () => {
    const seen: string[] = [];
    await serveRaw(closing(seen));
    expect((await ask()).body).toBe('ok');
    expect((await fixture.visitor.secure(HOST, { method: 'POST' })).status).toBe(502);
    expect(seen).toEqual(['GET', 'POST']);
  });
});

describe('an application with TLS', () => {
  it('must have a certificate that the edge trusts', async () => {
    const origin = await TestOrigin.http(
      (_request, response) => response.end('ok'),
      await makeCertificate('other.test'),
    );
    ending.push(origin);
    await serveApplication(fixture, HOST, `https://localhost:${origin.port}`);
    expect(await failureOf()).toEqual({ status: 502, code: 'origin_certificate' });
  });
});

describe('a loop', () => {
  it('through the platform domain is refused before connecting', async () => {
    await serveApplication(fixture, HOST, 'https://other.pets.test');
    expect(await failureOf()).toEqual({ status: 508, code: 'origin_loop' });
  });

  it('through a host that is served here is refused before connecting', async () => {
    await fixture.publishSite('site.test');
    await serveApplication(fixture, HOST, 'https://site.test.');
    expect(await failureOf()).toEqual({ status: 508, code: 'origin_loop' });
  });

  it('is recognized by Via, wherever it came through', async () => {
    await serveRaw(answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    expect(await failureOf({ via: '1.1 cdn.example, 2.0 PETS.test (edge)' })).toEqual({
      status: 508,
      code: 'origin_loop',
    });
  });

  it('through another host of the edge is ended by that host', async () => {
    const { https } = fixture.edge.ports();
    await serveApplication(fixture, 'second.pets.test', 'http://127.0.0.1:1');
    await serveApplication(fixture, HOST, `https://127.0.0.1:${https}`, { hostHeader: 'second.pets.test' });
    expect(await failureOf()).toEqual({ status: 508, code: 'origin_loop' });
  });

  it('through the plain port ends with its redirect: that never forwards', async () => {
    await serveApplication(fixture, HOST, `http://127.0.0.1:${fixture.edge.ports().http}`);
    expect((await ask()).status).toBe(308);
  });
});

it('an application that redirects to a private address is not followed', async () => {
  await serveRaw(answering('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n'));
  expect(await ask()).toMatchObject({ status: 302, headers: { location: 'http://169.254.169.254/' } });
});

it('an origin that the table does not have is 503', async () => {
  await serveApplication(fixture, HOST, 'http://127.0.0.1:1');
  await fixture.api.publishAndSettle({ 'origin:of-app.pets.test': null });
  expect(await failureOf()).toEqual({ status: 503, code: 'unavailable' });
});
