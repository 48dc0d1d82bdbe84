import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { originRow } from '@pets/contracts/edge-feed';
import type { EdgeFixture } from './edge-fixture.js';
import { applicationRoute, buildForwardingFixture, originRoute, TestOrigin } from './forwarding-fixture.js';
import { head, malformed, smuggling } from './hostile-requests.js';
import { askHttp2, exchangeRaw } from './visitor.js';

let fixture: EdgeFixture;
let origin: TestOrigin;
/** Everything that the application received, of each connection. */
let received: Buffer[][] = [];

beforeAll(async () => {
  fixture = await buildForwardingFixture();
  await fixture.issue('certificate-1', 'site.test');
  origin = await TestOrigin.raw(answerEachRequest);
  await fixture.api.publishAndSettle({
    [originRow('app')]: originRoute(origin.url),
    'site.test': { ...applicationRoute('app'), certificateId: 'certificate-1' },
  });
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  await origin.close();
  await fixture.tearDown();
});

/** Answers when a request is complete, as the strict parser below reads it. */
function answerEachRequest(socket: Socket): void {
  const chunks: Buffer[] = [];
  let answered = 0;
  received.push(chunks);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    for (const { requests } = parse(Buffer.concat(chunks)); answered < requests.length; answered++)
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
}

interface Parsed {
  readonly requests: readonly { readonly line: string; readonly fields: readonly string[]; readonly body: string }[];
  /** The bytes after the last complete request. */
  readonly rest: string;
}

/** A parser that accepts one way to write a request. @throws Error for every other one */
function parse(bytes: Buffer): Parsed {
  const requests: Parsed['requests'][number][] = [];
  let text = bytes.toString('latin1');
  for (;;) {
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return { requests, rest: text };
    const [line = '', ...fields] = text.slice(0, end).split('\r\n');
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \/[\x21-\xff]* HTTP\/1\.1$/.test(line)) throw new Error(`line ${line}`);
    for (const field of fields)
      if (!/^[!#$%&'*+.^_`|~0-9a-z-]+: [\t\x20-\x7e\x80-\xff]*$/.test(field)) throw new Error(`field ${field}`);
    const body = bodyOf(fields, text.slice(end + 4));
    if (body === undefined) return { requests, rest: text };
    requests.push({ line, fields, body: body.content });
    text = text.slice(end + 4 + body.length);
  }
}

function bodyOf(fields: readonly string[], text: string): { content: string; length: number } | undefined {
  const lengths = fields.filter((field) => field.startsWith('content-length: '));
  const codings = fields.filter((field) => field.startsWith('transfer-encoding: '));
  if (lengths.length + codings.length > 1) throw new Error('two ways to read the body');
  if (codings.length === 0) {
    const length = Number(lengths[0]?.slice('content-length: '.length) ?? 0);
    return text.length < length ? undefined : { content: text.slice(0, length), length };
  }
  if (codings[0] !== 'transfer-encoding: chunked') throw new Error(codings[0]);
  let content = '';
  for (let at = 0; ;) {
    const [chunkHead, size] = /^([0-9a-f]+)\r\n/.exec(text.slice(at)) ?? [];
    if (chunkHead === undefined || size === undefined) return undefined;
    const bytes = Number.parseInt(size, 16);
    const end = at + chunkHead.length + bytes;
    if (text.length < end + 2) return undefined;
    if (text.slice(end, end + 2) !== '\r\n') throw new Error('a chunk without end');
    content += text.slice(at + chunkHead.length, end);
    at = end + 2;
    if (bytes === 0) return { content, length: at };
  }
}

const atOrigin = () => received.map((chunks) => parse(Buffer.concat(chunks)));
const lines = () => atOrigin().flatMap(({ requests }) => requests.map(({ line }) => line));

async function exchange(text: string): Promise<string> {
  const socket = await fixture.visitor.handshake('site.test');
  socket.on('error', () => undefined); // it may be reset while the rest is being sent
  return exchangeRaw(socket, text);
}

describe('what reaches an application', () => {
  it.each(smuggling)(
    'is one request at most: %s',
    async (_name, text) => {
      await exchange(text);
      expect(lines().length).toBeLessThanOrEqual(1);
      expect(lines().filter((line) => line.includes('/large.bin'))).toEqual([]);
    },
    30_000,
  );

  it.each(malformed)('is nothing of %s', async (_name, text) => {
    await exchange(text);
    expect(atOrigin()).toEqual([]);
  });

  it('is framed by the edge, whatever the visitor wrote', async () => {
    const chunked = head('Transfer-Encoding: Chunked\r\nConnection: close, content-length, x-a\r\nX-A: 1\r\n');
    await exchange(`${chunked}3;ext="a"\r\nabc\r\n0\r\nX-Trailer: no\r\n\r\n`);
    const [request] = atOrigin()[0]?.requests ?? [];
    expect(request).toMatchObject({ line: 'POST / HTTP/1.1', body: 'abc' });
    expect(request?.fields).toContain('transfer-encoding: chunked');
    expect(request?.fields.filter((field) => /x-a|x-trailer/.test(field))).toEqual([]);
  });

  it('has no line breaks of fields, targets and hosts over HTTP/2', async () => {
    const session = await fixture.visitor.http2('site.test');
    for (const path of ['/a b', '/a\r\nX: y', '/\0', '/é'])
      await askHttp2(session, 'site.test', { path }).catch(() => undefined);
    await askHttp2(session, 'site.test', { headers: { 'x-a': 'a\tb' } });
    for (const { rest } of atOrigin()) expect(rest).toBe('');
    expect(lines().every((line) => line.split(' ').length === 3)).toBe(true);
  });

  it('is nothing of 10 000 fields', async () => {
    expect(await exchange(head('X: y\r\n'.repeat(10_000), 'GET'))).toMatch(/^HTTP\/1\.1 431 /);
    expect(await exchange(head('A:\r\n'.repeat(1_000), 'GET'))).toMatch(/^HTTP\/1\.1 431 /);
    expect(atOrigin()).toEqual([]);
  });
});
