import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type { EdgeFixture } from './edge-fixture.js';
import { buildSite, large } from './site.js';

/** HTTP/1.1 connections over TLS, byte by byte. */
let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await buildSite();
});
afterAll(() => fixture.tearDown());

const get = (path: string, headers = '', host = 'site.test') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

interface Response {
  /** 0 when the connection ended without a response. */
  readonly status: number;
  readonly headers: readonly string[];
  readonly bytes: number;
}

/** Reads responses from a connection, one after another. */
class Reader {
  readonly socket: TLSSocket;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #hasEnded = false;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
    });
    socket.on('close', () => (this.#hasEnded = true));
  }

  static async open(host = 'site.test'): Promise<Reader> {
    return new Reader(await fixture.visitor.handshake(host));
  }

  async request(text: string): Promise<Response> {
    this.socket.write(text, 'latin1');
    return this.next();
  }

  async next(): Promise<Response> {
    await waitUntil(() => this.#headEnd() !== -1 || this.#hasEnded, { message: 'a head' });
    const end = this.#headEnd();
    const [first = '', ...lines] = this.#received().subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
    const headers = lines.map((line) => line.toLowerCase());
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
    const bytes = Number(headers.find((line) => line.startsWith('content-length:'))?.slice(15) ?? '0');
    const isComplete = () => this.#bytes >= end + 4 + bytes;
    await waitUntil(() => isComplete() || this.#hasEnded, { message: 'a body', timeoutMs: 20_000 });
    this.#chunks = [this.#received().subarray(end + 4 + bytes)];
    this.#bytes = this.#chunks[0]?.length ?? 0;
    return { status, headers, bytes };
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  #headEnd(): number {
    return this.#received().indexOf('\r\n\r\n');
  }

  #received(): Buffer {
    const received = Buffer.concat(this.#chunks);
    this.#chunks = [received];
    return received;
  }
}

describe('an HTTP/1.1 connection', () => {
  it('gets 421 for another host than that of its handshake, even one that the edge serves', async () => {
    const reader = await Reader.open('site.test');
    expect(await reader.request(get('/', '', 'strict.test'))).toMatchObject({ status: 421 });
  });

  it('carries one request after another', async () => {
    const reader = await Reader.open();
    for (const headers of ['', 'X-Latin-1: \u00e9\r\n', 'Content-Length: 0\r\n', '']) {
      const response = await reader.request(get('/digits.txt', headers));
      expect(response).toMatchObject({ status: 200, bytes: 10 });
    }
  });

  it('is told how long it stays open, unless it ends', async () => {
    const reader = await Reader.open();
    const { headers } = await reader.request(get('/digits.txt'));
    expect(headers).toEqual(expect.arrayContaining(['connection: keep-alive', 'keep-alive: timeout=5']));
    const last = await reader.request(get('/digits.txt', 'Connection: close\r\n'));
    expect(last.headers).toContain('connection: close');
    expect(last.headers).not.toContain('keep-alive: timeout=5');
  });

  it('may send the head of a request in pieces', async () => {
    const reader = await Reader.open();
    const text = get('/digits.txt');
    await reader.request(text);
    reader.socket.write(text.slice(0, 20));
    await nextTick();
    expect(await reader.request(text.slice(20))).toMatchObject({ status: 200, bytes: 10 });
  });

  it('gets responses in the order of its requests', async () => {
    const reader = await Reader.open();
    reader.socket.pause();
    for (const path of ['/large.json', '/digits.txt', '/nowhere']) {
      reader.socket.write(get(path));
      await nextTick(); // so that each request is a packet of its own
    }
    reader.socket.resume();
    expect(await reader.next()).toMatchObject({ status: 200, bytes: large.length });
    expect(await reader.next()).toMatchObject({ status: 200, bytes: 10 });
    expect(await reader.next()).toMatchObject({ status: 404 });
  });

  it('gets a complete large file even when it starts to read late', async () => {
    const reader = await Reader.open();
    reader.socket.pause();
    reader.socket.write(get('/large.json'));
    await waitUntil(async () => (await fixture.count('edge_connections')) > 0, {
      message: 'the connection is counted',
    });
    reader.socket.resume();
    expect(await reader.next()).toMatchObject({ status: 200, bytes: large.length });
  });

  it('ends after the response to a request with Connection: close, without answering later requests', async () => {
    const reader = await Reader.open();
    reader.socket.write(get('/digits.txt', 'Connection: close\r\n'));
    reader.socket.write(get('/nowhere'));
    expect((await reader.next()).headers).toContain('connection: close');
    await waitUntil(() => reader.hasEnded, { message: 'the connection has ended' });
    expect(await reader.next()).toMatchObject({ status: 0 });
  });

  it('is closed when it sends no further request', async () => {
    const reader = await Reader.open();
    await reader.request(get('/digits.txt'));
    await waitUntil(() => reader.hasEnded, { message: 'the idle connection has ended', timeoutMs: 15_000 });
  });

  it('is logged as broken off when the client disconnects during a response', async () => {
    const before = fixture.accessLines.length;
    const reader = await Reader.open();
    reader.socket.pause();
    reader.socket.write(get('/large.json'));
    await once(reader.socket.resume(), 'data');
    reader.socket.destroy();
    await waitUntil(() => fixture.accessLines.length > before, { message: 'a line about the request' });
    expect(JSON.parse(fixture.accessLines.at(-1) ?? '')).toMatchObject({ path: '/large.json', brokenOff: true });
  });
});
