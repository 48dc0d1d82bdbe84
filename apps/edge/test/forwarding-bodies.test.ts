import { once } from 'node:events';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication, TestOrigin } from './forwarding-fixture.js';
import { bufferLimit } from './socket-buffers.js';

const HOST = 'app.pets.test';
const MIB = 1024 * 1024;
const BYTES = 200 * MIB;
/** Memory that all three sides in this process and their sockets may hold. */
const MOST = 128 * MIB;

let fixture: EdgeFixture;
let origin: TestOrigin;
let sentDown = 0;

beforeAll(async () => {
  fixture = await buildForwardingFixture();
  origin = await TestOrigin.http((request, response) => {
    if (request.method === 'POST') return void count(request).then((bytes) => response.end(String(bytes)));
    const body = Readable.from(pieces());
    body.on('data', (chunk: Buffer) => (sentDown += chunk.length));
    body.pipe(response);
  });
  await serveApplication(fixture, HOST, origin.url, { timeouts: { connect: 2, answer: 60, idle: 60 } });
});
afterAll(async () => {
  await origin.close();
  await fixture.tearDown();
});

function* pieces(): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'x');
  for (let sent = 0; sent < BYTES; sent += piece.length) yield piece;
}

async function count(stream: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The most memory for bytes, beyond that of before, while a task runs. On a busy machine the garbage alone may be more. */
async function growthDuring(task: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  const measure = () => {
    if (process.memoryUsage().arrayBuffers - before > MOST / 2) collectGarbage();
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  };
  const timer = setInterval(measure, 10);
  await task().finally(() => clearInterval(timer));
  return most - before;
}

function open(options: RequestOptions) {
  const { https: port } = fixture.edge.ports();
  return httpsRequest({
    ...{ host: '127.0.0.1', port, servername: HOST, headers: { host: HOST }, rejectUnauthorized: false },
    ...options,
  });
}

async function answerTo(request: ReturnType<typeof open>): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

describe('200 MB', () => {
  it('go down without being kept', async () => {
    const growth = await growthDuring(async () => {
      const request = open({});
      request.end();
      expect(await count(await answerTo(request))).toBe(BYTES);
    });
    expect(growth).toBeLessThan(MOST);
  }, 120_000);

  it('go up without being kept', async () => {
    const growth = await growthDuring(async () => {
      const request = open({ method: 'POST' });
      Readable.from(pieces()).pipe(request);
      const response = await answerTo(request);
      expect(Buffer.concat(await response.toArray()).toString()).toBe(String(BYTES));
    });
    expect(growth).toBeLessThan(MOST);
  }, 120_000);

  it('go both ways over HTTP/2', async () => {
    const session = await fixture.visitor.http2(HOST);
    const growth = await growthDuring(async () => {
      const down: ClientHttp2Stream = session.request({ ':authority': HOST });
      const up = session.request({ ':authority': HOST, ':method': 'POST' });
      Readable.from(pieces()).pipe(up);
      const [bytes, answer] = await Promise.all([count(down), up.toArray()]);
      expect([bytes, Buffer.concat(answer as Buffer[]).toString()]).toEqual([BYTES, String(BYTES)]);
    });
    expect(growth).toBeLessThan(MOST);
  }, 120_000);
});

it('a visitor that does not read stops the application', async () => {
  sentDown = 0;
  const request = open({}).on('error', () => undefined);
  request.end();
  const response = await answerTo(request);
  response.on('error', () => undefined).pause();
  let last = -1;
  await waitUntil(
    () => {
      const isStill = sentDown === last && sentDown > 0;
      last = sentDown;
      return isStill;
    },
    { message: 'nothing more is sent', intervalMs: 300 },
  );
  // What the kernel holds of both connections, and the three sides in this process.
  expect(sentDown).toBeLessThan(2 * (await bufferLimit()) + 16 * MIB);
  request.destroy();
  await waitUntil(() => fixture.count('edge_forwarded_requests').then((active) => active === 0), {
    message: 'the request has ended',
  });
});
