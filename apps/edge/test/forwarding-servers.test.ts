import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, freePort, isInstalled, makeTemporaryFolder, type ServiceProcess } from '@pets/testing';
import { WebSocket, WebSocketServer, type ClientOptions, type RawData } from 'ws';
import { makeCertificate } from './certificates.js';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication } from './forwarding-fixture.js';
import { LIMITED_BYTES, originServers } from './origin-servers.js';
import { askHttp2 } from './visitor.js';

const HOST = 'app.pets.test';
const SIZE = 3_000_000;
const LARGE = 50_000_000;
/** The status for a body that is too large. Caddy's proxy takes it for a failure of the application. */
const REFUSED = { caddy: 502, nginx: 413 } as const;

/** An application behind the server: `/app/count` and `/limited` count a body, `/app/chunks` and `/app/large` send one. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/app/chunks') {
    response.write('one ');
    setTimeout(() => response.end('two'), 50);
  } else if (request.url === '/app/large') {
    response.writeHead(200, { 'content-length': String(LARGE) });
    response.end(Buffer.alloc(LARGE, 'd'));
  } else {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => response.end(String(bytes)));
  }
}

describe.each(['caddy', 'nginx'] as const)('an application behind %s', (name) => {
  describeWhen(describe, 'over TLS', isInstalled(name) ? null : `${name} is not installed`, () => {
    let folder: string;
    const application = createServer(answer);
    const echo = new WebSocketServer({ server: application });
    let server: ServiceProcess;
    let fixture: EdgeFixture;

    beforeAll(async () => {
      folder = await makeTemporaryFolder(`${name}-origin`);
      const { cert, key } = await makeCertificate('server.example');
      await mkdir(join(folder, 'files'));
      await writeFile(join(folder, 'files', 'large.bin'), 'x'.repeat(SIZE));
      await writeFile(join(folder, 'files', 'page.html'), '<p>text</p>'.repeat(1_000));
      await writeFile(join(folder, 'cert.pem'), cert);
      await writeFile(join(folder, 'key.pem'), key);
      echo.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
      application.listen(0, '127.0.0.1');
      await once(application, 'listening');
      const { port: applicationPort } = application.address() as AddressInfo; // it listens at a port
      const [port, deadPort] = [await freePort(), await freePort()];
      server = await originServers[name]({ folder, port, applicationPort, deadPort });
      fixture = await buildForwardingFixture({ EDGE_ORIGIN_CA: cert });
      await serveApplication(fixture, HOST, `https://localhost:${port}`, { hostHeader: 'server.example' });
    });
    afterAll(async () => {
      await fixture.tearDown();
      await server.stop();
      application.closeAllConnections();
      application.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('is reached with its own name in the handshake and in Host', async () => {
      const reply = await fixture.visitor.secure(HOST, { path: '/host' });
      expect([reply.status, reply.body]).toEqual([200, `server.example ${HOST} https`]);
    });

    it('sends a file, a part of it, its head, and 304', async () => {
      const session = await fixture.visitor.http2(HOST);
      expect((await askHttp2(session, HOST, { path: '/large.bin' })).bytes).toHaveLength(SIZE);
      const part = await fixture.visitor.secure(HOST, { path: '/large.bin', headers: { range: 'bytes=10-19' } });
      expect([part.status, part.body]).toEqual([206, 'x'.repeat(10)]);
      const beyond = await fixture.visitor.secure(HOST, { path: '/large.bin', headers: { range: `bytes=${SIZE}-` } });
      expect(beyond.status).toBe(416);
      const head = await fixture.visitor.secure(HOST, { path: '/large.bin', method: 'HEAD' });
      expect([head.headers['content-length'], head.body]).toEqual([String(SIZE), '']);
      const headers = { 'if-none-match': head.headers.etag ?? '' };
      const unchanged = await fixture.visitor.secure(HOST, { path: '/large.bin', headers });
      expect([unchanged.status, unchanged.body]).toEqual([304, '']);
    });

    it('compresses where the visitor accepts it', async () => {
      const session = await fixture.visitor.http2(HOST);
      const packed = await askHttp2(session, HOST, { path: '/page.html', headers: { 'accept-encoding': 'gzip' } });
      expect(packed.headers['content-encoding']).toBe('gzip');
      const plain = await askHttp2(session, HOST, { path: '/page.html' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
    });

    it('answers in chunks', async () => {
      expect((await fixture.visitor.secure(HOST, { path: '/app/chunks' })).body).toBe('one two');
      expect((await askHttp2(await fixture.visitor.http2(HOST), HOST, { path: '/app/chunks' })).body).toBe('one two');
    });

    async function post(path: string, body: Buffer, headers: Record<string, string>) {
      const { https: port } = fixture.edge.ports();
      const request = httpsRequest({
        ...{ host: '127.0.0.1', port, servername: HOST, path, method: 'POST', rejectUnauthorized: false },
        headers: { host: HOST, ...headers },
      });
      request.end(body);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      request.on('error', () => undefined); // the answer may come before the body has been sent
      const text = Buffer.concat(await response.toArray()).toString();
      return { status: response.statusCode, requestId: response.headers['x-request-id'], text };
    }

    it.each([
      ['of a known length', { 'content-length': String(LARGE) }],
      ['in chunks', { 'transfer-encoding': 'chunked' }],
    ])(
      'takes a body of 50 MB %s',
      async (_framing, headers) => {
        expect(await post('/app/count', Buffer.alloc(LARGE, 'u'), headers)).toMatchObject({
          status: 200,
          text: String(LARGE),
        });
      },
      60_000,
    );

    it('sends a body of 50 MB', async () => {
      expect((await fixture.visitor.secure(HOST, { path: '/app/large' })).bytes).toHaveLength(LARGE);
    }, 60_000);

    it('keeps its connections open between requests', async () => {
      const session = await fixture.visitor.http2(HOST);
      await askHttp2(session, HOST, { path: '/host' });
      const before = await fixture.count('edge_origin_connections');
      for (let count = 0; count < 10; count++) await askHttp2(session, HOST, { path: '/host' });
      expect(await fixture.count('edge_origin_connections')).toBe(before);
    });

    it('is passed on when it refuses a body, or has nothing behind it', async () => {
      const tooLarge = Buffer.alloc(LIMITED_BYTES + 1);
      const refused = await post('/limited', tooLarge, { 'content-length': String(tooLarge.length) });
      expect(refused).toMatchObject({ status: REFUSED[name], requestId: undefined });
      expect(await post('/limited', Buffer.alloc(10), {})).toMatchObject({ status: 200, text: '10' });
      const dead = await fixture.visitor.secure(HOST, { path: '/dead' });
      expect([dead.status, dead.headers['x-request-id']]).toEqual([502, undefined]);
    });

    it('carries a WebSocket', async () => {
      const { https: port } = fixture.edge.ports();
      const options: ClientOptions & { readonly servername: string } = {
        ...{ servername: HOST, headers: { host: HOST }, rejectUnauthorized: false },
      };
      const socket = new WebSocket(`wss://127.0.0.1:${port}/app/socket`, options);
      await once(socket, 'open');
      const large = Buffer.alloc(1_000_000, 'w');
      socket.send(large);
      const [data] = (await once(socket, 'message')) as [RawData];
      expect(large.equals(data as Buffer)).toBe(true);
      socket.close(4_000);
      expect((await once(socket, 'close'))[0]).toBe(4_000);
    });
  });
});
