import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, endingOrigins, serveApplication, TestOrigin } from './forwarding-fixture.js';
import { askHttp2, exchangeRaw } from './visitor.js';

const HOST = 'app.pets.test';

let fixture: EdgeFixture;
const ending = endingOrigins();

beforeAll(async () => {
  fixture = await buildForwardingFixture();
});
afterAll(() => fixture.tearDown());

/** An application that writes a text for each head of a request. */
async function answerWith(text: string): Promise<void> {
  const origin = await TestOrigin.raw((socket) =>
    socket.on('data', (chunk: Buffer) => {
      for (let count = chunk.toString().split('\r\n\r\n').length - 1; count > 0; count--) socket.write(text, 'latin1');
    }),
  );
  ending.push(origin);
  await serveApplication(fixture, HOST, origin.url);
}

const ask = (method = 'GET') => fixture.visitor.secure(HOST, { method });
const askOverHttp2 = async (method = 'GET') => askHttp2(await fixture.visitor.http2(HOST), HOST, { method });

async function statuses(): Promise<[http1: number, http2: number]> {
  return [(await ask()).status, (await askOverHttp2()).status];
}

const answer = (fields: string, body = 'ok') =>
  `HTTP/1.1 200 OK\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;

describe('an answer', () => {
  it.each([
    ['HTTP/0.9', 'just text\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a space before the colon', answer('X : y\r\n')],
    ['a field without a name', answer(': y\r\n')],
    ['a field without a colon', answer('X\r\n')],
    ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'],
    ['a hexadecimal length', 'HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok'],
    ['a length beyond all numbers', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok'],
    [
      'a coding of the transfer that is unknown here',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a chunk of no size',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
    ],
    ['a bare LF that hides a field', 'HTTP/1.1 200 OK\r\nX: a\nSet-Cookie: b=c\r\nContent-Length: 0\r\n\r\n'],
    ['a folded field', answer('X: a\r\n b\r\n')],
    ['10 000 fields', answer('A:\r\n'.repeat(10_000))],
    ['a name in bytes beyond ASCII', answer('X\xe9: y\r\n')],
    ['a name of a pseudo-header field', answer(':status: 500\r\n')],
  ])('is 502, over both protocols: %s', async (_name, text) => {
    await answerWith(text);
    expect(await statuses()).toEqual([502, 502]);
  });

  it.each([
    ['a field of HTTP/2', answer('HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n')],
    [
      'fields of a connection',
      answer('Upgrade: h2c\r\nProxy-Connection: close\r\nTE: trailers\r\nKeep-Alive: timeout=1\r\n'),
    ],
    ['two types', answer('Content-Type: text/html\r\nContent-Type: text/plain\r\n')],
    [
      'two dates, places and tags',
      answer('Date: x\r\nDate: y\r\nLocation: /a\r\nLocation: /b\r\nETag: "a"\r\nETag: "b"\r\n'),
    ],
    ['a status in other words', 'HTTP/1.1 299 <script>\r\nContent-Length: 2\r\n\r\nok'],
    ['many cookies', answer('Set-Cookie: a=b\r\n'.repeat(100))],
    [
      'values of all bytes',
      answer(`X: ${String.fromCharCode(...Array.from({ length: 128 }, (_, at) => at + 128))}\r\n`),
    ],
  ])('has no line breaks and is whole, over both protocols: %s', async (_name, text) => {
    await answerWith(text);
    for (const reply of [await ask(), await askOverHttp2()]) {
      expect(reply.body).toBe('ok');
      expect(JSON.stringify(reply.headers)).not.toMatch(/\\r|\\n|h2c|timeout=1"|script|AAMAAABk/);
    }
  });

  it.each([
    ['HEAD', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nHTTP/1.1 200 X\r\nEvil: 1\r\n\r\n.'],
    ['204', 'GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 30\r\n\r\nHTTP/1.1 200 X\r\nEvil: 1\r\n\r\n.'],
    ['304', 'GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 30\r\n\r\nHTTP/1.1 200 X\r\nEvil: 1\r\n\r\n.'],
    ['204 in chunks', 'GET', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nevil!\r\n0\r\n\r\n'],
  ])('with a body that it must not have does not become the next one: %s', async (_name, method, text) => {
    await answerWith(text);
    for (let count = 0; count < 3; count++) {
      for (const reply of [await ask(method), await askOverHttp2(method)]) {
        expect(reply.body).toBe('');
        expect(reply.headers).not.toHaveProperty('evil');
        expect(reply.status).toBe(Number(text.split(' ')[1]));
      }
    }
  });

  it('may have a head of 60 KB, over both protocols', async () => {
    await answerWith(answer(`X: ${'y'.repeat(60_000)}\r\n`));
    const socket = await fixture.visitor.handshake(HOST);
    const text = await exchangeRaw(socket, `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
    expect(text).toContain(`x: ${'y'.repeat(60_000)}\r\n`);
    expect((await askOverHttp2()).headers['x']).toHaveLength(60_000);
  });

  it('that is followed by another one at once does not answer the next request', async () => {
    await answerWith(answer('') + answer('X-Poison: yes\r\n', 'poison'));
    for (let count = 0; count < 5; count++)
      for (const reply of [await ask(), await askOverHttp2()]) {
        expect(reply.body).toBe('ok');
        expect(reply.headers).not.toHaveProperty('x-poison');
      }
  });

  it('with a flood of early hints passes few of them, and ends', async () => {
    await answerWith('HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'.repeat(1_000));
    const socket = await fixture.visitor.handshake(HOST);
    const text = await exchangeRaw(socket, `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 103 /g)?.length ?? 0).toBeLessThanOrEqual(16);
    expect(text).toMatch(/HTTP\/1\.1 502 /);
    const stream = (await fixture.visitor.http2(HOST)).request({ ':authority': HOST });
    let hints = 0;
    stream.on('headers', () => (hints += 1));
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect([headers[':status'], hints <= 16]).toEqual([502, true]);
    stream.close();
  });

  it.each(['not a link', '</a>; rel=preload, <', ''])(
    'with an early hint that is no link is whole: %j',
    async (link) => {
      await answerWith(`HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\nContent-Length: 5\r\n\r\n${answer('')}`);
      for (const reply of [await ask(), await askOverHttp2()]) expect(reply).toMatchObject({ status: 200, body: 'ok' });
    },
  );
});

describe('a cookie for the platform', () => {
  it.each([
    'a=b; Domain=pets.test',
    'a=b; domain=.pets.test',
    'a=b; DOMAIN = .Pets.TEST ; Secure',
    'a=b; Domain=\tpets.test',
    'a=b; Domain=..pets.test',
    'a=b; Domain=pets.test.',
    'a=b; Domain="pets.test"',
    'a=b; Domain=test',
    'a=b; Domain=pets.test; Domain=app.pets.test',
    'a=b; Domain=app.pets.test; Domain=pets.test',
    'a=b; Domain=pets.test; Domain=',
    'a=b; Domain=pets.test; Domain',
    'a=b; Domain=p%65ts.test',
    'a=b; Domain=pets%2etest',
    'a=b; Domain=pets\xe3\x80\x82test',
    'a=b; Domain=\xef\xbd\x90ets.test',
    'a=b;Domain=pets.test;Path=/',
    '=; Domain=pets.test',
  ])('is dropped, however it is written: %s', async (cookie) => {
    await answerWith(answer(`Set-Cookie: kept=yes\r\nSet-Cookie: ${cookie}\r\nset-cookie: also=kept\r\n`));
    for (const { headers } of [await ask(), await askOverHttp2()])
      expect(headers['set-cookie']).toEqual(['kept=yes', 'also=kept']);
  });

  it.each(['a=b', 'a=b; Domain=app.pets.test', 'a=b; Domain=.App.Pets.Test', 'a="Domain=pets.test"', 'a=b; Domain='])(
    'is none for its own host: %s',
    async (cookie) => {
      await answerWith(answer(`Set-Cookie: ${cookie}\r\n`));
      expect((await ask()).headers['set-cookie']).toEqual([cookie]);
    },
  );
});
