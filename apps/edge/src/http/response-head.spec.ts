import { describe, expect, it } from '@jest/globals';
import { http1Head, http2Head, keepHeads } from './response-head.js';

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const http1 = (headers: readonly string[], nowMs = at, status = 200) =>
  http1Head(status, headers, true, nowMs).toString('latin1');

describe('the head of an answer', () => {
  it('says when it was made and whether the connection goes on', () => {
    expect(http1(['etag', '"a"', 'vary', 'b']).split('\r\n')).toEqual([
      'HTTP/1.1 200 OK',
      'etag: "a"',
      'vary: b',
      'Date: Fri, 02 Jan 2026 03:04:05 GMT',
      'Connection: keep-alive',
      'Keep-Alive: timeout=5',
      '',
      '',
    ]);
    expect(http1Head(404, [], false, at + 1_000).toString()).toBe(
      'HTTP/1.1 404 Not Found\r\nDate: Fri, 02 Jan 2026 03:04:06 GMT\r\nConnection: close\r\n\r\n',
    );
    expect(http2Head(304, ['etag', '"a"'], at)).toEqual([
      ...[':status', '304', 'etag', '"a"'],
      ...['date', 'Fri, 02 Jan 2026 03:04:05 GMT'],
    ]);
  });

  it('is made once a second where it is sent again, in each form', () => {
    const headers = ['etag', '"a"'];
    const asFresh = [http1(headers), http1(headers, at + 1_000), http2Head(200, headers, at)];
    keepHeads(headers);
    const lasting = http1Head(200, headers, true, at);
    const list = http2Head(200, headers, at + 300);
    expect(http1Head(200, headers, true, at + 300)).toBe(lasting);
    expect(http2Head(200, headers, at)).toBe(list);
    expect([lasting.toString('latin1'), http1(headers, at + 1_000), list]).toEqual(asFresh);
    expect(http1Head(200, headers, false, at).toString()).toContain('Connection: close');
  });

  it.each(['a\r\nSet-Cookie: b', 'a\nb', 'a\0b', '\u2028'])('is not made of a value that would end it: %j', (value) => {
    expect(() => http1(['location', value], at, 301)).toThrow(/location/);
  });
});
