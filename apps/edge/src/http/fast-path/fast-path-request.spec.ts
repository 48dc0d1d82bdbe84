import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseSimpleRequest } from './fast-path-request.js';

const head = (...lines: readonly string[]) => ['GET /a HTTP/1.1', 'Host: site.test', ...lines, '', ''].join('\r\n');

describe('a simple request', () => {
  it('is what a browser sends', () => {
    const text = head('Connection: keep-alive', 'accept-encoding:  gzip, br \t', 'Cookie: a=b', 'Range: bytes=0-1');
    expect(parseSimpleRequest(text)).toEqual({
      method: 'GET',
      target: '/a',
      host: 'site.test',
      headers: new Map([
        ['host', 'site.test'],
        ['connection', 'keep-alive'],
        ['accept-encoding', 'gzip, br'],
        ['range', 'bytes=0-1'],
      ]),
      persists: true,
    });
  });

  it('may be the last of its connection', () => {
    expect(parseSimpleRequest(head('Connection: Close'))?.persists).toBe(false);
  });

  it.each([
    ['another method', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['another version', 'GET / HTTP/1.0\r\nHost: a\r\n\r\n'],
    ['an absolute form', 'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nAccept: a\r\n\r\n'],
    ['no header at all', 'GET / HTTP/1.1\r\n\r\n'],
    ['two hosts', head('host: other.test')],
    ['a header that is heard, twice', head('Range: bytes=0-1', 'range: bytes=2-3')],
    ['a length', head('Content-Length: 0')],
    ['a coding', head('Transfer-Encoding: identity')],
    ['an expectation', head('Expect: 100-continue')],
    ['an upgrade', head('Connection: upgrade', 'Upgrade: h2c')],
    ['several options of the connection', head('Connection: keep-alive, TE')],
    ['a folded header', head('X: a', ' b')],
    ['a space before the colon', head('X : a')],
    ['a byte above ASCII', head('X: \u00e9')],
    ['a NUL', head('X: a\0b')],
    ['a bare line feed', head('X: a\nTransfer-Encoding: chunked')],
    ['a bare carriage return', head('X: a\rTransfer-Encoding: chunked')],
    ['half of a head', head().slice(0, -2)],
    ['something behind the head', `${head()}G`],
    ['two requests', head() + head()],
  ])('is none with %s', (_what, text) => {
    expect(parseSimpleRequest(text)).toBeUndefined();
  });
});

interface Read {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What Node's HTTP server makes of bytes: every request in them, and whether it found something wrong. */
function readByNode(text: string): Promise<{ readonly requests: readonly Read[]; readonly isBroken: boolean }> {
  const requests: Read[] = [];
  const [client, connection] = duplexPair();
  return new Promise((resolve) => {
    const end = (isBroken: boolean) => {
      client.destroy();
      connection.destroy();
      resolve({ requests, isBroken });
    };
    const server = createServer((request, response) => {
      const pairs = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
      request.on('end', () => {
        requests.push({ method: request.method, target: request.url, headers: Object.fromEntries(pairs), body });
        response.end();
      });
    });
    server.on('clientError', () => end(true));
    server.on('upgrade', () => end(true));
    server.emit('connection', connection);
    client.resume();
    client.write(text, 'latin1', () => setImmediate(() => setImmediate(() => end(false))));
  });
}

const line = fc.constantFrom(
  ...[
    'Host: site.test',
    'host: other.test',
    'Accept-Encoding: br',
    'Accept-Encoding:gzip \t',
    'User-Agent: x/1 (y; z)',
  ],
  ...['Range: bytes=0-1', 'If-None-Match: "a", W/"b"', 'If-Match:', 'Cookie: a="b\\"', 'X-Odd!#$%: ~', 'X: \t', 'X:'],
  ...[
    'Content-Length: 5',
    'Content-Length:0',
    'Transfer-Encoding: chunked',
    'transfer-encoding : chunked',
    'TE: trailers',
  ],
  ...['Connection: close', 'Connection: Keep-Alive', 'Connection: upgrade', 'Upgrade: x', 'Expect: 100-continue'],
  ...['X\u00e9: a', 'X: \u00e9', 'X: a\0', 'X: a\nHost: evil', 'X: a\rHost: evil', ' folded', ': none', 'nothing', ''],
);
const usual = fc.constantFrom(
  'Accept: */*',
  'Accept-Encoding: gzip, br',
  'User-Agent: a',
  'Cookie: a=b',
  'Range: bytes=1-',
);
/** Mostly the first one. */
const mostly = (usually: string, ...others: readonly string[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usually) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const request = fc
  .record({
    method: mostly('GET', 'HEAD', 'POST', 'get', 'G'),
    target: mostly(
      '/',
      '/a?b=c',
      '/a#b',
      '/%00',
      '//x',
      '/[a]|{b}^`"<>\\',
      '*',
      'http://site.test/',
      '/a b',
      '/\u00e9',
    ),
    version: mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/11', 'http/1.1'),
    lines: fc.array(fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: line }), { maxLength: 5 }),
    end: mostly('\r\n', '\n', '\r'),
    behind: mostly('', 'hello', 'GET /b HTTP/1.1\r\nHost: a\r\n\r\n'),
  })
  .map(({ method, target, version, lines, end, behind }) =>
    [`${method} ${target} ${version}`, 'Host: site.test', ...lines, '', behind].join(end),
  );
const damaged = fc
  .tuple(request, fc.nat(), fc.constantFrom('', ' ', '\t', ':', '\r', '\n', '\0', '\u00a0', 'a'))
  .map(([text, at, piece]) => text.slice(0, at % text.length) + piece + text.slice((at % text.length) + 1));

describe('whoever reads a simple request', () => {
  it('reads the same', async () => {
    let simple = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, damaged), async (text) => {
        const read = parseSimpleRequest(text);
        if (read === undefined) return;
        simple += 1;
        const { requests, isBroken } = await readByNode(text);
        expect({ isBroken, count: requests.length }).toEqual({ isBroken: false, count: 1 });
        const [byNode] = requests;
        expect(byNode).toMatchObject({ method: read.method, target: read.target, body: '' });
        expect(byNode?.headers).toMatchObject(Object.fromEntries(read.headers));
      }),
      { numRuns: 3_000 },
    );
    expect(simple).toBeGreaterThan(300);
  });
});
