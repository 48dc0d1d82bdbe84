import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isInstalled, makeTemporaryFolder, waitUntil } from '@pets/testing';
import { Agent, request as undiciRequest } from 'undici';
import { siteRoute, type EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication, TestOrigin } from './forwarding-fixture.js';

const GONE = 'gone.pets.test';
const EARLY = 'early.pets.test';
const SITE = 'site.test';
const BYTES = 50_000_000;

const run = promisify(execFile);

let fixture: EdgeFixture;
let early: TestOrigin;
let file: string;

beforeAll(async () => {
  fixture = await buildForwardingFixture();
  await serveApplication(fixture, GONE, 'http://127.0.0.1:1');
  early = await TestOrigin.raw((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large'));
  });
  await serveApplication(fixture, EARLY, early.url);
  await fixture.issue('certificate-1', SITE);
  await fixture.api.publishAndSettle({ [SITE]: siteRoute('certificate-1') });
  file = join(await makeTemporaryFolder('uploads'), 'body');
  await writeFile(file, Buffer.alloc(BYTES));
});
afterAll(async () => {
  await early.close();
  await fixture.tearDown();
});

/** Not in Node's types. */
const halfOpen: ConnectionOptions & { readonly allowHalfOpen: true } = { allowHalfOpen: true };

type Upload = (host: string, length: number | undefined) => Promise<{ status: number; body: string }>;

function* pieces(): Generator<Buffer> {
  for (let sent = 0; sent < BYTES; sent += 50_000) yield Buffer.alloc(50_000);
}

const byNode: Upload = async (host, length) => {
  const { https: port } = fixture.edge.ports();
  const request = httpsRequest({
    ...{ host: '127.0.0.1', port, servername: host, method: 'POST', rejectUnauthorized: false, agent: false },
    headers: { host, ...(length !== undefined && { 'content-length': length }) },
  });
  Readable.from(pieces()).pipe(request);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray()).toString();
  request.on('error', () => undefined).destroy();
  return { status: response.statusCode ?? 0, body };
};

const byUndici: Upload = async (host, length) => {
  const { https: port } = fixture.edge.ports();
  const dispatcher = new Agent({ connect: { servername: host, rejectUnauthorized: false } });
  const { statusCode, body } = await undiciRequest(`https://127.0.0.1:${port}/`, {
    ...{ dispatcher, method: 'POST', body: Readable.from(pieces()) },
    headers: { host, ...(length !== undefined && { 'content-length': String(length) }) },
  });
  const text = await body.text();
  await dispatcher.destroy();
  return { status: statusCode, body: text };
};

const byHttp2: Upload = async (host, length) => {
  const session = await fixture.visitor.http2(host);
  const more = length === undefined ? {} : { 'content-length': String(length) };
  const stream: ClientHttp2Stream = session.request({ ':method': 'POST', ':authority': host, ...more });
  stream.on('error', () => undefined); // of a write, when the edge has dropped the body
  Readable.from(pieces()).pipe(stream);
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(stream, 'close');
  expect(stream.rstCode).toBe(0);
  expect(session.destroyed).toBe(false);
  session.close();
  return { status: Number(headers[':status']), body: Buffer.concat(chunks).toString() };
};

/** Reads nothing until it has sent everything, as simple clients do. */
const bySimpleClient: Upload = async (host, length) => {
  const socket = await fixture.visitor.handshake(host, halfOpen);
  socket.pause();
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\n${framing}\r\n\r\n`);
  const write = (bytes: Buffer | string) => new Promise((resolve) => socket.write(bytes, resolve));
  for (const piece of pieces())
    await write(length === undefined ? Buffer.concat([Buffer.from('c350\r\n'), piece, Buffer.from('\r\n')]) : piece);
  if (length === undefined) await write('0\r\n\r\n');
  const text = Buffer.concat(await socket.toArray()).toString();
  return { status: Number(text.split(' ', 2)[1]), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
};

const curl =
  (flag: string): Upload =>
  async (host, length) => {
    const { https: port } = fixture.edge.ports();
    const url = `https://${host}:${port}/`;
    const framing = length === undefined ? ['-H', 'Transfer-Encoding: chunked'] : [];
    const args = ['-sk', flag, '--resolve', `${host}:${port}:127.0.0.1`, '-H', 'Expect:', '-H', `Host: ${host}`];
    const { stdout } = await run('curl', [
      ...args,
      ...framing,
      '-w',
      ' %{http_code}',
      '--data-binary',
      `@${file}`,
      url,
    ]);
    return { status: Number(stdout.slice(-3)), body: stdout };
  };

const clients: Readonly<Record<string, Upload>> = {
  Node: byNode,
  undici: byUndici,
  'Node over HTTP/2': byHttp2,
  'a client that sends everything first': bySimpleClient,
  ...(isInstalled('curl') && { curl: curl('--http1.1'), 'curl over HTTP/2': curl('--http2') }),
};

describe('a body that nobody needs', () => {
  it('is not read for ever', async () => {
    const socket = await fixture.visitor.handshake(GONE, halfOpen);
    const closed = new Promise((resolve) =>
      socket
        .on('error', () => undefined)
        .on('close', resolve)
        .resume(),
    );
    socket.write(`POST / HTTP/1.1\r\nHost: ${GONE}\r\nContent-Length: 1000000000\r\n\r\n`);
    let sent = 0;
    const send = () => {
      while (!socket.destroyed && sent < 1_000_000_000) {
        sent += 50_000;
        if (!socket.write(Buffer.alloc(50_000))) return;
      }
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(sent).toBeLessThan(100_000_000);
  }, 60_000);

  it('leaves the connection to the next request, once it has come', async () => {
    const agent = fixture.visitor.keepAliveAgent();
    for (let count = 0; count < 3; count++) {
      const { https: port } = fixture.edge.ports();
      const request = httpsRequest({
        ...{ host: '127.0.0.1', port, servername: EARLY, method: 'POST', rejectUnauthorized: false, agent },
        headers: { host: EARLY },
      });
      request.end(Buffer.alloc(1_000_000));
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect([response.statusCode, request.reusedSocket]).toEqual([413, count > 0]);
      await response.toArray();
    }
    agent.destroy();
  });

  it('is waited for as long as it comes', async () => {
    const socket = await fixture.visitor.handshake(GONE, halfOpen);
    socket.on('error', () => undefined).resume();
    socket.write(`POST / HTTP/1.1\r\nHost: ${GONE}\r\nContent-Length: 1000\r\n\r\nx`);
    await once(socket, 'end');
    await waitUntil(async () => (await fixture.count('edge_connections')) === 0, {
      ...{ message: 'the connection is closed without another byte', timeoutMs: 25_000 },
    });
    socket.destroy();
  }, 60_000);

  it('is not parsed: nothing is kept of the requests after it', async () => {
    const socket = await fixture.visitor.handshake(GONE, halfOpen);
    socket.on('error', () => undefined).resume();
    const before = process.memoryUsage().heapUsed;
    socket.write(`POST / HTTP/1.1\r\nHost: ${GONE}\r\nContent-Length: 5\r\n\r\n`);
    const requests = Buffer.from(`GET / HTTP/1.1\r\nHost: ${GONE}\r\n\r\n`.repeat(1_000));
    for (let count = 0; count < 200; count++) await new Promise((resolve) => socket.write(requests, resolve));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    socket.destroy();
  }, 60_000);
});

describe.each(Object.entries(clients))('an upload of 50 MB by %s', (_name, upload) => {
  it.each([
    ['of a known length', BYTES],
    ['in chunks', undefined],
  ])(
    '%s gets the answer, wherever it comes from',
    async (_framing, length) => {
      expect(await upload(GONE, length)).toMatchObject({ status: 502, body: expect.stringContaining('not reachable') });
      expect(await upload(EARLY, length)).toMatchObject({ status: 413, body: expect.stringContaining('too large') });
      expect(await upload(SITE, length)).toMatchObject({ status: 405 });
    },
    60_000,
  );
});
