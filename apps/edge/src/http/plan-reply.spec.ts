import { describe, expect, it } from '@jest/globals';
import type { Freshness } from '@pets/sites';
import fc from 'fast-check';
import {
  evaluateRange,
  matchesStrongly,
  matchesWeakly,
  planReply,
  type ReplyFile,
  type ReplyRequest,
} from './plan-reply.js';

const entry = (sha256: string, bytes: number, freshness: Freshness = 'revalidated') => ({ sha256, bytes, freshness });
const index = new Map([
  ['index.html', entry('home', 5_000)],
  ['copy.html', entry('home', 5_000)],
  ['copy.txt', entry('home', 5_000)],
  ['digits.bin', entry('digits', 10)],
  ['404.html', entry('lost', 100)],
]);
const silent = { acceptEncoding: undefined, ifMatch: undefined, ifNoneMatch: undefined, ifRange: undefined };
const plan = (path: string, request: Partial<ReplyRequest> = {}, files = index, file: Partial<ReplyFile> = {}) =>
  planReply(
    files,
    { path, status: 200, headers: {}, ...file },
    { method: 'GET', range: undefined, ...silent, ...request },
  );
const tagOf = (path: string, request: Partial<ReplyRequest> = {}) => {
  const planned = plan(path, request);
  return planned.kind === 'content' ? (planned.headers.etag ?? '') : '';
};

describe('an entity tag', () => {
  it('depends on the bytes, the type and the coding', () => {
    expect(tagOf('index.html')).toMatch(/^"[\w-]{43}"$/);
    expect(tagOf('copy.html')).toBe(tagOf('index.html'));
    expect(tagOf('copy.txt')).not.toBe(tagOf('index.html'));
    expect(tagOf('index.html', { acceptEncoding: 'br' })).not.toBe(tagOf('index.html'));
  });
});

describe('preconditions', () => {
  const etag = tagOf('digits.bin');

  it.each<[string, Partial<ReplyRequest>, object]>([
    ['none', {}, { kind: 'content', status: 200 }],
    ['If-None-Match of this', { ifNoneMatch: etag }, { kind: 'not_modified', headers: { etag } }],
    ['If-None-Match of another', { ifNoneMatch: '"x"' }, { status: 200 }],
    ['If-Match of this', { ifMatch: etag }, { status: 200 }],
    ['If-Match of another', { ifMatch: '"x"' }, { page: 'precondition_failed' }],
    ['both: If-Match comes first', { ifMatch: '"x"', ifNoneMatch: etag }, { page: 'precondition_failed' }],
    ['a range of what is known', { ifNoneMatch: etag, range: 'bytes=0-1' }, { kind: 'not_modified' }],
    ['a range of another', { ifMatch: '"x"', range: 'bytes=99-' }, { page: 'precondition_failed' }],
    ['a range', { range: 'bytes=0-1' }, { status: 206, span: { first: 0, last: 1 } }],
    ['a range if it is this', { range: 'bytes=0-1', ifRange: etag }, { status: 206 }],
    ['a range if it is another', { range: 'bytes=99-', ifRange: '"x"' }, { status: 200 }],
    ['a range that is not there', { range: 'bytes=99-' }, { page: 'range_not_satisfiable' }],
    ['a range for HEAD', { range: 'bytes=99-', method: 'HEAD' }, { status: 200 }],
  ])('%s', (_name, request, planned) => expect(plan('digits.bin', request)).toMatchObject(planned));
});

describe('a path without a file', () => {
  it('shows the project’s 404.html, whatever the request says of the file', () => {
    const asked = { ifMatch: '"x"', ifNoneMatch: '*', range: 'bytes=0-1' };
    const planned = plan('404.html', asked, index, { status: 404 });
    expect(planned).toMatchObject({ kind: 'content', status: 404, span: undefined });
    expect(planned.kind === 'content' && planned.headers.etag).toBeUndefined();
  });

  it('shows a page of ours where there is none', () => {
    const planned = plan('404.html', {}, new Map(), { status: 404 });
    expect(planned).toEqual({ kind: 'page', page: 'not_found', headers: {} });
  });
});

describe('header fields of the site', () => {
  const headers = {
    'cache-control': 'no-store',
    'content-type': 'text/markdown',
    'access-control-allow-origin': 'https://app.example',
  };
  const etag = tagOf('copy.txt');

  it.each<[string, Partial<ReplyRequest>, Partial<ReplyFile>, number | string]>([
    ['a file', {}, {}, 200],
    ['a part', { range: 'bytes=0-1' }, {}, 206],
    ['a page of what is not found', {}, { status: 404 }, 404],
  ])('replace ours for %s, but nosniff', (_name, request, file, status) => {
    const planned = plan('copy.txt', request, index, { headers, ...file });
    expect(planned).toMatchObject({ status, headers: { ...headers, 'x-content-type-options': 'nosniff' } });
  });

  it('are in the answer that nothing has changed', () => {
    const [changed] = [plan('copy.txt', {}, index, { headers })];
    const tag = changed?.kind === 'content' ? changed.headers.etag : undefined;
    const planned = plan('copy.txt', { ifNoneMatch: tag }, index, { headers });
    expect(planned).toMatchObject({ kind: 'not_modified', headers: { 'cache-control': 'no-store', etag: tag } });
    // Another type is another representation: browsers keep the type of a copy.
    expect(tag).not.toBe(etag);
  });

  it('are not in pages of ours', () => {
    const planned = plan('copy.txt', { range: 'bytes=9999-' }, index, { headers });
    expect(planned).toEqual({
      kind: 'page',
      page: 'range_not_satisfiable',
      headers: { 'content-range': 'bytes */5000' },
    });
  });

  it('lets every site read a file where the site says nothing', () => {
    expect(plan('copy.txt')).toMatchObject({ headers: { 'access-control-allow-origin': '*' } });
  });
});

describe('a list of entity tags', () => {
  it.each([
    ['"t"', true, true],
    ['W/"t"', true, false],
    ['"a", "t"', true, true],
    ['"a","b,c" ,\t"t"', true, true],
    ['"a,"t"', false, false],
    ['*', true, true],
    [' * ', true, true],
    ['"*"', false, false],
    ['"a"', false, false],
    ['"T"', false, false],
    ['w/"t"', true, true],
    ['t', false, false],
    ['', false, false],
  ])('%j matches weakly: %s, strongly: %s', (list, isWeak, isStrong) => {
    expect(matchesWeakly(list, '"t"')).toBe(isWeak);
    expect(matchesStrongly(list, '"t"')).toBe(isStrong);
  });
});

const part = (first: number, last: number) => ({ kind: 'part', span: { first, last } });

describe('evaluateRange of 10 bytes', () => {
  it.each([
    ['bytes=0-0', part(0, 0)],
    ['bytes=0-9', part(0, 9)],
    ['bytes=2-', part(2, 9)],
    ['bytes=2-99999999999999999999999', part(2, 9)],
    ['bytes=-3', part(7, 9)],
    ['bytes=-99', part(0, 9)],
    ['BYTES= 1-2 ', part(1, 2)],
    ['bytes=10-', { kind: 'unsatisfiable' }],
    ['bytes=99999999999999999999-', { kind: 'unsatisfiable' }],
    ['bytes=-0', { kind: 'unsatisfiable' }],
    [undefined, { kind: 'complete' }],
    ['', { kind: 'complete' }],
    ['bytes=5-2', { kind: 'complete' }],
    ['bytes=0-1,3-4', { kind: 'complete' }],
    ['bytes=0-0, 20-', { kind: 'complete' }],
    ['bytes=-', { kind: 'complete' }],
    ['bytes=a-b', { kind: 'complete' }],
    ['bytes=1.5-2', { kind: 'complete' }],
    ['bytes=0-1;x', { kind: 'complete' }],
    ['lines=0-1', { kind: 'complete' }],
    ['bytes 0-1', { kind: 'complete' }],
  ])('%j', (header, verdict) => expect(evaluateRange(header, 10)).toEqual(verdict));

  it('of nothing has no part', () => {
    expect(evaluateRange('bytes=-5', 0)).toEqual({ kind: 'complete' });
    expect(evaluateRange('bytes=0-', 0)).toEqual({ kind: 'unsatisfiable' });
  });

  it('never leaves the content', () => {
    const header = fc
      .tuple(fc.option(fc.nat(), { nil: '' }), fc.option(fc.nat(), { nil: '' }))
      .map(([a, b]) => `bytes=${a}-${b}`);
    fc.assert(
      fc.property(header, fc.nat(5_000), (range, bytes) => {
        const verdict = evaluateRange(range, bytes);
        if (verdict.kind !== 'part') return;
        const { first, last } = verdict.span;
        expect(first >= 0 && first <= last && last < bytes).toBe(true);
      }),
    );
  });
});

describe('how long a browser keeps a file', () => {
  const cacheControlOf = (path: string, freshness: Freshness) => {
    const planned = plan(path, {}, new Map([[path, entry('a', 1, freshness)]]));
    return planned.kind === 'content' ? planned.headers['cache-control'] : '';
  };

  it('is what the API decided when the file was deployed', () => {
    expect(cacheControlOf('app.js', 'year')).toBe('public, max-age=31536000, immutable');
    expect(cacheControlOf('app.js', 'day')).toBe('public, max-age=86400');
    expect(cacheControlOf('app.3f2a9c1b.js', 'revalidated')).toBe('public, max-age=0, must-revalidate');
  });
});
