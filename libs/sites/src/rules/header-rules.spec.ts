import { describe, expect, it } from '@jest/globals';
import { mergeHeaders, parseHeaders, rulesFor } from './header-rules.js';

function headersOf(text: string, decoded: string): object {
  const { rules, problems } = parseHeaders(text);
  expect(problems).toEqual([]);
  return mergeHeaders(rulesFor(rules, decoded)).headers;
}

const problemsOf = (text: string) => parseHeaders(text).problems.map(({ line, problem }) => `${line}: ${problem}`);

describe('a rule of _headers', () => {
  const text = `
# Everything
/*
  X-Frame-Options: DENY
  Link: </app.css>; rel=preload; as=style
  Cache-Control: max-age=60
/assets/*
  cache-control: public, max-age=31536000
  Link: </b.css>; rel=preload
/*.json
  Access-Control-Allow-Origin: https://app.example
/people/:id
  X-Robots-Tag: noindex
/x
  X-Content-Type-Options: nosniff
`;

  it.each([
    ['/', { 'x-frame-options': 'DENY', link: '</app.css>; rel=preload; as=style', 'cache-control': 'max-age=60' }],
    [
      '/assets/a.js',
      {
        'x-frame-options': 'DENY',
        link: '</app.css>; rel=preload; as=style, </b.css>; rel=preload',
        'cache-control': 'public, max-age=31536000',
      },
    ],
    ['/data/a.json', { 'access-control-allow-origin': 'https://app.example' }],
    ['/people/1', { 'x-robots-tag': 'noindex' }],
    ['/people/1/', { 'x-robots-tag': 'noindex' }],
  ])('applies to %s', (path, headers) => expect(headersOf(text, path)).toMatchObject(headers));

  it('that only says what the edge sends anyway is none', () => {
    expect(headersOf('/x\n  X-Content-Type-Options: nosniff', '/x')).toEqual({});
  });

  it.each([
    ['  X-A: b', '1: a header without a path above it'],
    ['X-A: b', '1: "X-A: b" is neither a path nor an indented header'],
    ['https://a.example/*\n  X-A: b', '1: a rule for a host is not possible: begin with the path'],
    ['/x\n  X-A', '2: "X-A" is no header: Name: value'],
    ['/x\n  X A: b', '2: "X A" is no name of a header'],
    ['/x\n  X-A:', '2: the value of X-A is missing'],
    ['/x\n  X-A: b\u0007c', '2: the value of X-A has a character that a header cannot have'],
    ['/x\n  X-A: é', '2: the value of X-A has a character that a header cannot have'],
    ['/x\n  ! Cache-Control', '2: a header cannot be taken away: the edge adds none but its own'],
    ['/x\n  Set-Cookie: a=b', '2: Set-Cookie cannot be set by a site'],
    ['/x\n  Content-Length: 1', '2: Content-Length cannot be set by a site'],
    ['/x\n  Transfer-Encoding: chunked', '2: Transfer-Encoding cannot be set by a site'],
    ['/x\n  Content-Encoding: gzip', '2: Content-Encoding cannot be set by a site'],
    ['/x\n  Location: /y', '2: Location cannot be set by a site'],
    ['/x\n  Vary: *', '2: Vary cannot be set by a site'],
    ['/x\n  ETag: "a"', '2: ETag cannot be set by a site'],
    ['/x\n  X-Content-Type-Options: off', '2: X-Content-Type-Options cannot be set by a site'],
    ['/x\n  X-Request-Id: 1', '2: X-Request-Id cannot be set by a site'],
    ['/x\n  X-Accel-Redirect: /etc', '2: X-Accel-Redirect cannot be set by a site'],
    ['/x\n  X-Forwarded-For: 1', '2: X-Forwarded-For cannot be set by a site'],
    [
      '/x\n  Strict-Transport-Security: max-age=1',
      '2: Strict-Transport-Security is a setting of the project, because browsers keep it beyond the site',
    ],
    [
      '/x\n  Access-Control-Allow-Credentials: true',
      '1: Access-Control-Allow-Credentials needs an Access-Control-Allow-Origin with one origin',
    ],
    [
      `/x\n${Array.from({ length: 33 }, (_, at) => `  X-${at}: a`).join('\n')}`,
      '1: more than 32 headers, or more than 8192 bytes of them',
    ],
    [
      `/x\n${Array.from({ length: 5 }, (_, at) => `  X-${at}: ${'a'.repeat(1_900)}`).join('\n')}`,
      '1: more than 32 headers, or more than 8192 bytes of them',
    ],
    [Array.from({ length: 101 }, (_, at) => `/${at}\n  X-A: b`).join('\n'), '201: more than 100 rules'],
  ])('%j is refused', (given, problem) => expect(problemsOf(given)).toEqual([problem]));

  it.each(['a\rb', 'a\nb', 'a\r\nSet-Cookie: x=y'])('cannot break a line: %j', (value) => {
    const { rules } = parseHeaders(`/x\n  X-A: ${value}`);
    for (const { fields } of rules) for (const [, each] of fields) expect(each).not.toMatch(/[\r\n]/);
    expect(rules.flatMap(({ fields }) => fields.map(([name]) => name))).toEqual(['x-a']);
  });
});
