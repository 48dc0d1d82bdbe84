import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { buildSite, large } from './site.js';
import type { EdgeFixture } from './edge-fixture.js';

/** Connections of HTTP/1.1, whose simple requests are answered without Node's HTTP server. */
let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await buildSite();
});
afterAll(() => fixture.tearDown());

/** A header that is harmless and above ASCII: the request is not simple any more. */
const ODD = 'X-Odd: \u00e9\r\n';
const get = (path: string, more = '', host = 'site.test') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly bytes: number;
}

/** Reads answers, one after the other, off a connection. */
class Reader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #hasEnded = false;

  constructor(readonly socket: TLSSocket) {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
    });
    socket.on('close', () => (this.#hasEnded = true));
  }

  static async open(host: string): Promise<Reader> {
    return new Reader(await fixture.visitor.handshake(host));
  }

  async ask(text: string): Promise<Answer> {
    this.socket.write(text, 'latin1');
    return this.next(text.startsWith('HEAD'));
  }

  async next(isHead = false): Promise<Answer> {
    await waitUntil(() => this.#headEnd() !== -1 || this.#hasEnded, { message: 'a head' });
    const end = this.#headEnd();
    const [first = '', ...lines] = this.#received().subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
    const headers = lines.map((line) => line.toLowerCase()).filter((line) => !line.startsWith('date:'));
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
    const length = headers.find((line) => line.startsWith('content-length:'))?.slice(15) ?? '0';
    const bytes = isHead || status === 304 ? 0 : Number(length);
    const isWhole = () => this.#bytes >= end + 4 + bytes;
    await waitUntil(() => isWhole() || this.#hasEnded, { message: 'a body', timeoutMs: 20_000 });
    this.#chunks = [this.#received().subarray(end + 4 + bytes)];
    this.#bytes = this.#chunks[0]?.length ?? 0;
    return { status, headers: headers.toSorted(), bytes };
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

describe('an answer is the same, whoever has read the request', () => {
  it.each([
    ['a page', 'GET', '/', 'site.test', ''],
    ['a page, compressed', 'GET', '/', 'site.test', 'Accept-Encoding: br\r\n'],
    ['only its head', 'HEAD', '/', 'site.test', ''],
    ['a part of a file', 'GET', '/digits.txt', 'site.test', 'Range: bytes=2-4\r\n'],
    ['no part of a file', 'GET', '/digits.txt', 'site.test', 'Range: bytes=20-\r\n'],
    ['nothing new', 'GET', '/digits.txt', 'site.test', 'If-None-Match: *\r\n'],
    ['an empty file', 'GET', '/empty.txt', 'site.test', ''],
    ['a file that is not kept in memory', 'GET', '/large.json', 'site.test', ''],
    ['the page of what is not there', 'GET', '/nowhere', 'site.test', ''],
    ['a path that leads out', 'GET', '/%2e%2e/x', 'site.test', ''],
    ['a query', 'GET', '/?a=b', 'site.test', ''],
    ['a redirect', 'GET', '/a?b=c', 'moved.test', ''],
    ['a site with Strict-Transport-Security', 'GET', '/', 'strict.test', ''],
  ])('%s', async (_what, method, path, host, more) => {
    const text = (besides: string) => `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}${besides}\r\n`;
    const direct = await Reader.open(host);
    const byNode = await Reader.open(host);
    const answer = await direct.ask(text(''));
    expect(answer.status).toBeGreaterThanOrEqual(200);
    expect(await byNode.ask(text(ODD))).toEqual(answer);
    if (!answer.headers.includes('connection: close')) expect(await direct.ask(text(''))).toEqual(answer);
  });

  it('for another host than that of the connection', async () => {
    const reader = await Reader.open('site.test');
    expect(await reader.ask(get('/', '', 'strict.test'))).toMatchObject({ status: 421 });
  });
});

describe('a connection', () => {
  it('is handed over with the first request that is not simple, and goes on', async () => {
    const reader = await Reader.open('site.test');
    for (const more of ['', '', ODD, '', 'Content-Length: 0\r\n', ''])
      expect(await reader.ask(get('/digits.txt', more))).toMatchObject({ status: 200, bytes: 10 });
  });

  it('is handed over with half a head', async () => {
    const reader = await Reader.open('site.test');
    const text = get('/digits.txt');
    await reader.ask(text);
    reader.socket.write(text.slice(0, 20));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await reader.ask(text.slice(20))).toMatchObject({ status: 200, bytes: 10 });
  });

  it('keeps the order of requests that come while an answer is under way', async () => {
    const reader = await Reader.open('site.test');
    reader.socket.pause();
    for (const path of ['/large.json', '/digits.txt', '/nowhere']) {
      reader.socket.write(get(path));
      await new Promise((resolve) => setImmediate(resolve)); // so that each is a packet of its own
    }
    reader.socket.resume();
    const statuses = [await reader.next(), await reader.next(), await reader.next()];
    expect(statuses.map(({ status, bytes }) => [status, bytes > 1_000])).toEqual([
      [200, true],
      [200, false],
      [404, true],
    ]);
  });

  it('waits for a client that is slow to take a large file', async () => {
    const reader = await Reader.open('site.test');
    reader.socket.pause();
    reader.socket.write(get('/large.json'));
    await waitUntil(async () => (await fixture.count('edge_connections')) > 0, { message: 'the connection is known' });
    reader.socket.resume();
    expect(await reader.next()).toMatchObject({ status: 200, bytes: large.length });
  });

  it('ends with the answer that the client wants to be the last', async () => {
    const reader = await Reader.open('site.test');
    reader.socket.write(get('/digits.txt', 'Connection: close\r\n'));
    reader.socket.write(get('/nowhere'));
    expect((await reader.next()).headers).toContain('connection: close');
    await waitUntil(() => reader.hasEnded, { message: 'the connection has ended' });
    expect(await reader.next()).toMatchObject({ status: 0 });
  });

  it('whose client leaves in the middle is a request that was broken off', async () => {
    const before = fixture.accessLines.length;
    const reader = await Reader.open('site.test');
    reader.socket.pause();
    reader.socket.write(get('/large.json'));
    await once(reader.socket.resume(), 'data');
    reader.socket.destroy();
    await waitUntil(() => fixture.accessLines.length > before, { message: 'a line about it' });
    expect(JSON.parse(fixture.accessLines.at(-1) ?? '')).toMatchObject({ path: '/large.json', brokenOff: true });
  });
});
