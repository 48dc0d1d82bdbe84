/** Requests to `site.test` that two parsers would read differently. */

const smuggled = 'GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n';
export const head = (lines: string, method = 'POST') => `${method} / HTTP/1.1\r\nHost: site.test\r\n${lines}\r\n`;

/**
 * Each hides a second request in what one of two parsers would take for a body. Answering the first at most, and then
 * ending the connection, means that nobody can have another visitor's request answered with it.
 */
export const smuggling: readonly (readonly [name: string, text: string])[] = [
  ['CL.TE', `${head('Content-Length: 6\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n${smuggled}`],
  ['TE.CL', `${head('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n')}5c\r\n${smuggled}\r\n0\r\n\r\n`],
  ['TE.TE', `${head('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n')}0\r\n\r\n${smuggled}`],
  ['TE of two, chunked first', `${head('Transfer-Encoding: chunked, identity\r\n')}0\r\n\r\n${smuggled}`],
  ['an unknown TE', `${head('Transfer-Encoding: xchunked\r\n')}0\r\n\r\n${smuggled}`],
  ['TE with a vertical tab', `${head('Transfer-Encoding:\x0bchunked\r\n')}0\r\n\r\n${smuggled}`],
  ['TE with a space before the colon', `${head('Transfer-Encoding : chunked\r\n')}0\r\n\r\n${smuggled}`],
  ['TE on a folded line', `${head('Transfer-Encoding:\r\n chunked\r\n')}0\r\n\r\n${smuggled}`],
  ['TE in HTTP/1.0', `POST / HTTP/1.0\r\nHost: site.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`],
  ['TE after a bare CR', `${head('X: y\rTransfer-Encoding: chunked\r\n')}0\r\n\r\n${smuggled}`],
  ['TE after a bare LF', `${head('X: y\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n${smuggled}`],
  ['a body with GET', `${head('Content-Length: 44\r\n', 'GET')}${smuggled}`],
  ['two lengths that differ', `${head('Content-Length: 0\r\nContent-Length: 44\r\n')}${smuggled}`],
  ['two lengths that are the same', `${head('Content-Length: 0\r\nContent-Length: 0\r\n')}${smuggled}`],
  ['a list of lengths', `${head('Content-Length: 0, 44\r\n')}${smuggled}`],
  ['a length with a sign', `${head('Content-Length: +44\r\n')}${smuggled}`],
  ['a negative length', `${head('Content-Length: -1\r\n')}${smuggled}`],
  ['a hexadecimal length', `${head('Content-Length: 0x2c\r\n')}${smuggled}`],
  ['a length that overflows', `${head('Content-Length: 18446744073709551660\r\n')}${smuggled}`],
  ['a chunk that overflows', `${head('Transfer-Encoding: chunked\r\n')}10000000000000000\r\n${smuggled}`],
  ['a chunk with a sign', `${head('Transfer-Encoding: chunked\r\n')}+0\r\n\r\n${smuggled}`],
  ['a chunk extension with a bare LF', `${head('Transfer-Encoding: chunked\r\n')}0;a\n\r\n${smuggled}`],
  ['a chunk extension without end', `${head('Transfer-Encoding: chunked\r\n')}1;${'a'.repeat(20_000)}\r\n${smuggled}`],
  ['a chunk that ends with a bare LF', `${head('Transfer-Encoding: chunked\r\n')}0\n\n${smuggled}`],
  ['a trailer that is a length', `${head('Transfer-Encoding: chunked\r\n')}0\r\nContent-Length: 44\r\n\r\n${smuggled}`],
];

/** Heads that mean two things, or nothing. */
export const malformed: readonly (readonly [name: string, text: string])[] = [
  ['two hosts', 'GET / HTTP/1.1\r\nHost: site.test\r\nHost: plain.test\r\n\r\n'],
  ['two hosts, one of them folded', 'GET / HTTP/1.1\r\nHost: site.test\r\nX: y\r\n Host: plain.test\r\n\r\n'],
  ['a host with a space before the colon', 'GET / HTTP/1.1\r\nHost : site.test\r\n\r\n'],
  ['a header before the first line', ' Host: plain.test\r\nGET / HTTP/1.1\r\nHost: site.test\r\n\r\n'],
  ['an absolute form with another host', 'GET https://plain.test/ HTTP/1.1\r\nHost: site.test\r\n\r\n'],
  ['an absolute form with user info', 'GET https://site.test@plain.test/ HTTP/1.1\r\nHost: site.test\r\n\r\n'],
  ['an empty host', 'GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
  ['a host with a path', 'GET / HTTP/1.1\r\nHost: site.test/x\r\nConnection: close\r\n\r\n'],
  ['a host with user info', 'GET / HTTP/1.1\r\nHost: a@site.test\r\nConnection: close\r\n\r\n'],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: site.test\r\nX: a\0b\r\n\r\n'],
  ['a header without a name', 'GET / HTTP/1.1\r\nHost: site.test\r\n: x\r\n\r\n'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: site.test\r\nX\r\n\r\n'],
  ['lines that end with CR alone', 'GET / HTTP/1.1\rHost: site.test\r\r'],
  ['HTTP/0.9', 'GET /\r\n\r\n'],
  ['HTTP/2 that was not negotiated', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/1.2', 'GET / HTTP/1.2\r\nHost: site.test\r\n\r\n'],
  ['CONNECT', 'CONNECT plain.test:443 HTTP/1.1\r\nHost: plain.test:443\r\n\r\n'],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n'],
  ['a method in lower case', 'get / HTTP/1.1\r\nHost: site.test\r\n\r\n'],
  ['a path with a space', 'GET /a b HTTP/1.1\r\nHost: site.test\r\n\r\n'],
  ['a relative path', 'GET a HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n'],
];
