import { once } from 'node:events';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { originRow, PLATFORM_CERTIFICATE } from '@pets/contracts/edge-feed';
import { waitUntil } from '@pets/testing';
import { suspendedRoute, type EdgeFixture } from './edge-fixture.js';
import {
  applicationRoute,
  buildForwardingFixture,
  endingOrigins,
  originRoute,
  read,
  serveApplication,
  TestOrigin,
} from './forwarding-fixture.js';
import { askHttp2, exchangeRaw } from './visitor.js';

const HOST = 'app.pets.test';

let fixture: EdgeFixture;
const ending = endingOrigins();

beforeAll(async () => {
  fixture = await buildForwardingFixture();
});
afterAll(() => fixture.tearDown());

async function serve(answer: Parameters<typeof TestOrigin.http>[0], host = HOST): Promise<TestOrigin> {
  const origin = await TestOrigin.http(answer);
  ending.push(origin);
  await serveApplication(fixture, host, origin.url);
  return origin;
}

describe('a request for an application', () => {
  it('reaches it with the headers of the edge, and not with what a visitor claims', async () => {
    const origin = await serve((_request, response) => response.writeHead(200, { 'x-app': 'yes' }).end('hello'));
    await fixture.api.publishAndSettle({
      [HOST]: applicationRoute(`of-${HOST}`, {
        domainId: 'domain-1',
        externalId: 'kunde 1',
        metadata: '{"name":"é"}',
      }),
    });
    const reply = await fixture.visitor.secure(HOST, {
      path: '/a?b=%20c',
      headers: {
        'x-forwarded-for': '1.2.3.4',
        x_forwarded_host: 'evil.test',
        'x-pets-domain': 'evil.test',
        forwarded: 'for=1.2.3.4',
        'x-kept': 'yes',
        connection: 'x-dropped',
        'x-dropped': 'yes',
      },
    });
    expect(reply).toMatchObject({ status: 200, body: 'hello' });
    expect(reply.headers['x-app']).toBe('yes');
    const [request] = origin.requests;
    expect(request?.url).toBe('/a?b=%20c');
    expect(request?.headers).toEqual({
      host: HOST,
      'x-kept': 'yes',
      via: '1.1 pets.test',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': HOST,
      forwarded: `for=127.0.0.1;host="${HOST}";proto=https`,
      'x-request-id': expect.stringMatching(/^[\w-]+$/),
      'x-pets-domain': HOST,
      'x-pets-domain-id': 'domain-1',
      'x-pets-external-id': 'kunde%201',
      'x-pets-metadata': '{"name":"%C3%A9"}',
      connection: 'keep-alive',
    });
    const line = fixture.accessLines.find((text) => text.includes(String(request?.headers['x-request-id'])));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ host: HOST, path: '/a', status: 200, bytes: 5 });
  });

  it.each(['DELETE', 'PATCH', 'PURGE', 'OPTIONS'])('may have the method %s', async (method) => {
    const origin = await serve((_request, response) => response.writeHead(202).end());
    expect((await fixture.visitor.secure(HOST, { method })).status).toBe(202);
    expect(origin.requests[0]?.method).toBe(method);
  });

  it('is answered over HTTP/2 as well, with its body', async () => {
    await serve((request, response) => {
      response.writeHead(201, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Connection', 'keep-alive']);
      request.pipe(response);
    });
    const session = await fixture.visitor.http2(HOST);
    const stream = session.request({ ':method': 'POST', ':authority': HOST, ':path': '/', cookie: ['x=1', 'y=2'] });
    const answered = once(stream, 'response');
    stream.write('one ');
    stream.end('two');
    const [headers] = (await answered) as [Record<string, unknown>];
    expect(headers).toMatchObject({ ':status': 201, 'set-cookie': ['a=1', 'b=2'] });
    expect(await read(stream)).toBe('one two');
  });

  it('with HEAD gets the length and no body', async () => {
    await serve((_request, response) => response.writeHead(200, { 'content-length': '5' }).end());
    const reply = await fixture.visitor.secure(HOST, { method: 'HEAD' });
    expect([reply.headers['content-length'], reply.body]).toEqual(['5', '']);
    const session = await fixture.visitor.http2(HOST);
    expect((await askHttp2(session, HOST, { method: 'HEAD' })).headers['content-length']).toBe('5');
  });

  it('uses the same connections again', async () => {
    const origin = await serve((_request, response) => response.end('ok'));
    const session = await fixture.visitor.http2(HOST);
    for (let count = 0; count < 5; count++) expect((await askHttp2(session, HOST)).body).toBe('ok');
    expect(origin.requests).toHaveLength(5);
    expect(origin.sockets.size).toBe(1);
  });

  it('keeps the connection of its visitor, also after a body', async () => {
    await serve((request, response) => void read(request).then((body) => response.end(body)));
    const agent = fixture.visitor.keepAliveAgent();
    const first = await post(agent, 'first');
    const second = await post(agent, 'second');
    expect([first, second]).toEqual(['first', 'second']);
    agent.destroy();
  });
});

function post(agent: ReturnType<EdgeFixture['visitor']['keepAliveAgent']>, body: string): Promise<string> {
  const request = open({ method: 'POST', agent });
  request.end(body);
  return once(request, 'response').then(([response]) => read(response as IncomingMessage));
}

function open(options: RequestOptions) {
  const { https: port } = fixture.edge.ports();
  return httpsRequest({
    host: '127.0.0.1',
    port,
    servername: HOST,
    headers: { host: HOST },
    rejectUnauthorized: false,
    ...options,
  });
}

describe('a body', () => {
  it('streams in both directions at the same time', async () => {
    await serve((request, response) => {
      response.flushHeaders();
      request.on('data', (chunk: Buffer) => response.write(chunk.toString().toUpperCase()));
      request.on('end', () => response.end());
    });
    const request = open({ method: 'POST' });
    request.write('a');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const [first] = (await once(response, 'data')) as [Buffer];
    request.end('b');
    const rest = await read(response);
    expect(first.toString() + rest).toBe('AB');
  });

  it('waits for 100 Continue until the application can be reached', async () => {
    const origin = await serve((request, response) => void read(request).then((body) => response.end(body)));
    const request = open({ method: 'POST', headers: { host: HOST, expect: '100-continue' } });
    request.flushHeaders();
    await once(request, 'continue');
    request.end('body');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(await read(response)).toBe('body');
    expect(origin.requests[0]?.headers.expect).toBeUndefined();
  });

  it('that an application refuses early ends the connection of HTTP/1 if the rest does not come', async () => {
    await serve((_request, response) => response.writeHead(413).end('too large'));
    const socket = await fixture.visitor.handshake(HOST);
    socket.on('error', () => undefined);
    const received = await exchangeRaw(socket, `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 1000000\r\n\r\nx`);
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(received).toContain('too large');
  });

  it('that arrives too slowly is refused', async () => {
    await serve((request) => void request.resume());
    const socket = await fixture.visitor.handshake(HOST);
    const received = await exchangeRaw(socket, `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 10\r\n\r\nx`);
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  }, 30_000);
});

describe('an answer', () => {
  it('arrives in pieces, each at once', async () => {
    const pieces: ((text: string) => void)[] = [];
    await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pieces.push((text) => void response.write(text));
    });
    const request = open({});
    request.end();
    await waitUntil(() => pieces.length === 1, { message: 'the application has the request' });
    pieces[0]?.('data: 1\n\n');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const [first] = (await once(response, 'data')) as [Buffer];
    pieces[0]?.('data: 2\n\n');
    const [second] = (await once(response, 'data')) as [Buffer];
    expect([first.toString(), second.toString()]).toEqual(['data: 1\n\n', 'data: 2\n\n']);
    request.destroy();
  });

  it('has its trailers, and 103 before it', async () => {
    await serve((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('body');
      response.addTrailers({ 'x-sum': '42' });
      response.end();
    });
    const request = open({});
    const hints: unknown[] = [];
    request.on('information', (information) => hints.push(information));
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(await read(response)).toBe('body');
    expect(response.trailers).toEqual({ 'x-sum': '42' });
    expect(hints).toMatchObject([{ statusCode: 103, headers: { link: '</style.css>; rel=preload; as=style' } }]);

    const session = await fixture.visitor.http2(HOST);
    const stream = session.request({ ':authority': HOST });
    const trailers = once(stream, 'trailers');
    const early: unknown[] = [];
    stream.on('headers', (headers) => early.push(headers));
    expect(await read(stream)).toBe('body');
    expect((await trailers)[0]).toMatchObject({ 'x-sum': '42' });
    expect(early).toMatchObject([{ ':status': 103, link: '</style.css>; rel=preload; as=style' }]);
  });

  it('loses what must not pass', async () => {
    await serve((_request, response) => {
      response.writeHead(200, [
        ...['Alt-Svc', 'h3=":443"', 'Strict-Transport-Security', 'max-age=1', 'Keep-Alive', 'timeout=99'],
        ...['Set-Cookie', 'a=1; Domain=.pets.test', 'Set-Cookie', 'b=2; Domain=app.pets.test', 'X-Kept', 'yes'],
      ]);
      response.end();
    });
    await fixture.api.publishAndSettle({ [HOST]: { ...applicationRoute(`of-${HOST}`), hsts: 'max-age=2' } });
    const { headers } = await fixture.visitor.secure(HOST);
    expect(headers).toMatchObject({
      'set-cookie': ['b=2; Domain=app.pets.test'],
      'strict-transport-security': 'max-age=2',
      'x-kept': 'yes',
    });
    expect(headers['alt-svc']).toBeUndefined();
  });
});

describe('a visitor that leaves', () => {
  it('ends the request to the application', async () => {
    const origin = await serve(() => undefined);
    const request = open({}).on('error', () => undefined);
    request.end();
    await waitUntil(() => origin.requests.length === 1, { message: 'the application has the request' });
    request.destroy();
    await waitUntil(() => origin.sockets.size === 0, { message: 'its connection has ended', timeoutMs: 2_000 });

    const session = await fixture.visitor.http2(HOST);
    const stream = session.request({ ':authority': HOST }).on('error', () => undefined);
    await waitUntil(() => origin.requests.length === 2, { message: 'the application has the second request' });
    stream.close(8);
    await waitUntil(() => origin.sockets.size === 0, { message: 'that one has ended as well', timeoutMs: 2_000 });
  });
});

describe('a change', () => {
  it('of the origin lets requests finish at the old one', async () => {
    const finish: (() => void)[] = [];
    const before = await serve((_request, response) => finish.push(() => response.end('old')));
    const request = open({});
    request.end();
    await waitUntil(() => before.requests.length === 1, { message: 'the application has the request' });
    const after = await TestOrigin.http((_request, response) => response.end('new'));
    ending.push(after);
    await fixture.api.publishAndSettle({ [originRow(`of-${HOST}`)]: originRoute(after.url) });
    expect((await fixture.visitor.secure(HOST)).body).toBe('new');
    finish[0]?.();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(await read(response)).toBe('old');
    await waitUntil(() => before.sockets.size === 0, { message: 'the connections to the old one are closed' });
  });

  it.each([
    ['removes', 'http1', null],
    ['removes', 'h2', null],
    ['suspends', 'http1', suspendedRoute(PLATFORM_CERTIFICATE)],
    ['suspends', 'h2', suspendedRoute(PLATFORM_CERTIFICATE)],
  ])('that %s the host ends its requests on both sides (%s)', async (change, protocol, route) => {
    const host = `${change}-${protocol}.pets.test`;
    const written: string[] = [];
    let received = 0;
    const origin = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => (received += chunk.length));
      const timer = setInterval(() => response.write('tick'), 5);
      response.on('close', () => clearInterval(timer));
    }, host);
    const stream =
      protocol === 'h2'
        ? (await fixture.visitor.http2(host)).request({ ':authority': host, ':method': 'POST' })
        : open({ method: 'POST', servername: host, headers: { host } });
    stream.on('error', () => undefined);
    const upload = setInterval(() => void stream.write('tock'), 5);
    const onData = (chunk: Buffer) => written.push(chunk.toString());
    if (protocol === 'h2') stream.on('data', onData);
    else stream.on('response', (response: IncomingMessage) => response.on('data', onData).on('error', () => undefined));
    await waitUntil(() => written.length > 2 && received > 20, { message: 'both directions are in use' });
    await fixture.api.publishAndSettle({ [host]: route });
    const [atVisitor, atOrigin] = [written.length, received];
    await waitUntil(() => origin.sockets.size === 0, { message: 'the application has no connection' });
    clearInterval(upload);
    expect(received - atOrigin).toBeLessThanOrEqual(0);
    expect(written.length - atVisitor).toBeLessThanOrEqual(0);
  });
});
