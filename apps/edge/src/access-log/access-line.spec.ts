import { describe, expect, it } from '@jest/globals';
import { formatLine, loggedPath, type LoggedExchange } from './access-line.js';

const exchange: LoggedExchange = {
  requestId: 'a1-b2',
  hosts: ['site.test'],
  method: 'GET',
  target: '/about',
  status: 200,
  bytes: 5,
  protocol: 'http/2',
  connection: { client: '192.0.2.1', tls: 'TLSv1.3' },
  header: () => undefined,
};
const ending = { durationMs: 1.26, isComplete: true };
const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const read = (changes: Partial<LoggedExchange> = {}, ended = ending): unknown =>
  JSON.parse(formatLine({ ...exchange, ...changes }, ended, at));

describe('a line about a request', () => {
  it('is one line of JSON', () => {
    expect(formatLine(exchange, ending, at)).toMatch(/^\{[^\n]*\}\n$/);
    expect(read()).toMatchObject({
      time: '2026-01-02T03:04:05.006Z',
      requestId: 'a1-b2',
      durationMs: 1.3,
      userAgent: null,
    });
  });

  it.each(['"', '\\', '\n', '\r\n{"level":60}', '\u0000', '\u2028', '\ud800', 'é'])(
    'stays one whatever a visitor sends: %j',
    (odd) => {
      const changes = { hosts: [odd], method: odd, target: `/${odd}`, header: () => odd };
      expect(formatLine({ ...exchange, ...changes }, ending, at).trimEnd()).not.toMatch(/\n/);
      expect(read(changes)).toMatchObject({ host: odd, method: odd, path: `/${odd}`, userAgent: odd });
    },
  );

  it('is cut where a visitor sends much', () => {
    const much = 'a'.repeat(5_000);
    expect(
      formatLine({ ...exchange, hosts: [much], target: much, header: () => much }, ending, at).length,
    ).toBeLessThan(1_400);
  });

  it('says when the answer was broken off, and of no host where there was none', () => {
    expect(read({ hosts: [] }, { ...ending, isComplete: false })).toMatchObject({ brokenOff: true, host: null });
  });
});

describe('loggedPath', () => {
  it.each([
    ['/', '/'],
    ['/a/b.css', '/a/b.css'],
    ['/reset?token=secret', '/reset'],
    ['/a#b', '/a'],
    ['/a?b?c\n', '/a'],
    ['*', '*'],
    ['http://user:secret@docs.example.com/a?b', '/a'],
    ['/.well-known/acme-challenge/AbC_def-123?x', '/.well-known/acme-challenge/[token]'],
    ['//.well-known/acme-challenge/AbC_def-123', '/.well-known/acme-challenge/[token]'],
    [`/${'a'.repeat(600)}`, `/${'a'.repeat(499)}`],
    ['', ''],
  ])('%j is kept as %j', (target, path) => expect(loggedPath(target)).toBe(path));
});
