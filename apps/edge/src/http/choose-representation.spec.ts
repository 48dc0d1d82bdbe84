import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseRepresentation, contentTypeOf, isCompressible } from './choose-representation.js';

const entry = (sha256: string, bytes: number) => ({ sha256, bytes, freshness: 'revalidated' as const });
const index = new Map([
  ['app.js', entry('app', 5_000)],
  ['app.js.br', entry('app-br', 900)],
  ['app.js.gz', entry('app-gz', 1_000)],
  ['old.js', entry('old', 5_000)],
  ['old.js.gz', entry('old-gz', 1_000)],
  ['page.html', entry('page', 5_000)],
  ['small.html', entry('small', 100)],
  ['huge.json', entry('huge', 50_000_000)],
  ['photo.png', entry('photo', 5_000)],
]);
const choose = (path: string, acceptEncoding: string | undefined, wantsRange = false) =>
  chooseRepresentation(index, path, { acceptEncoding, wantsRange });

describe('chooseRepresentation', () => {
  it.each([
    ['app.js', 'gzip, br', 'br', 'app-br', false],
    ['app.js', 'gzip', 'gzip', 'app-gz', false],
    ['app.js', 'br;q=0.5, gzip', 'gzip', 'app-gz', false],
    ['app.js', undefined, 'identity', 'app', false],
    ['app.js', 'br;q=0.5, identity', 'identity', 'app', false],
    ['app.js', 'br, identity', 'br', 'app-br', false],
    ['app.js', '*', 'br', 'app-br', false],
    ['app.js', '*;q=0, gzip', 'gzip', 'app-gz', false],
    ['app.js', 'zstd', 'identity', 'app', false],
    ['app.js', '', 'identity', 'app', false],
    ['app.js', 'GZIP', 'gzip', 'app-gz', false],
    ['app.js', 'x-gzip', 'gzip', 'app-gz', false],
    ['app.js', 'X-GZIP;q=0.2, br;q=0.1', 'gzip', 'app-gz', false],
    ['app.js', 'br;q=0.5, gzip ; q=0.8', 'gzip', 'app-gz', false],
    ['app.js', 'gzip;q=0', 'identity', 'app', false],
    ['app.js', 'br;q=0, *;q=0.3', 'gzip', 'app-gz', false],
    ['app.js', 'gzip;q=0.1, deflate', 'gzip', 'app-gz', false],
    ['app.js', 'identity;q=1, *;q=0', 'identity', 'app', false],
    ['app.js', ';;, gzip;level=3, ,', 'gzip', 'app-gz', false],
    ['old.js', 'gzip, br', 'gzip', 'old-gz', false],
    ['old.js', 'br', 'br', 'old', true],
    ['page.html', 'gzip, deflate, br', 'br', 'page', true],
    ['page.html', 'gzip', 'gzip', 'page', true],
    ['small.html', 'gzip, br', 'identity', 'small', false],
    ['small.html', 'gzip, identity;q=0', 'gzip', 'small', true],
    ['huge.json', 'gzip, br', 'identity', 'huge', false],
    ['photo.png', 'gzip, br', 'identity', 'photo', false],
    ['photo.png', 'br, *;q=0', 'br', 'photo', true],
  ])('%s for %j is sent as %s', (path, accept, coding, sha256, isCompressedHere) => {
    expect(choose(path, accept)).toMatchObject({ coding, stored: { sha256 }, isCompressedHere });
  });

  it.each([
    ['app.js', 'identity;q=0'],
    ['page.html', '*;q=0'],
    ['huge.json', 'gzip, identity;q=0'],
    ['nowhere.html', 'gzip'],
  ])('%s for %j cannot be sent', (path, accept) => expect(choose(path, accept)).toBeUndefined());

  it.each([
    ['app.js', true],
    ['page.html', true],
    ['small.html', false],
    ['photo.png', false],
  ])('%s depends on what the client accepts: %s', (path, depends) => {
    for (const accept of [undefined, 'gzip', 'br']) expect(choose(path, accept)?.dependsOnClient).toBe(depends);
  });

  it('sends ranges of the file as it is', () => {
    expect(choose('app.js', 'gzip, br', true)?.coding).toBe('identity');
    expect(choose('app.js', 'br, identity;q=0', true)?.coding).toBe('br');
  });

  it('never throws, whatever Accept-Encoding contains', () => {
    const piece = fc.constantFrom(
      'gzip',
      'br',
      'identity',
      '*',
      ';',
      'q=',
      '0',
      '1',
      '.',
      ',',
      ' ',
      '"',
      '\\',
      '=',
      '\u00e9',
      '-',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        choose('app.js', pieces.join(''));
      }),
    );
  });
});

describe('contentTypeOf', () => {
  it.each([
    ['index.html', 'text/html; charset=utf-8', true],
    ['INDEX.HTML', 'text/html; charset=utf-8', true],
    ['a/b.css', 'text/css; charset=utf-8', true],
    ['app.mjs', 'text/javascript; charset=utf-8', true],
    ['x.json', 'application/json; charset=utf-8', true],
    ['site.webmanifest', 'application/manifest+json; charset=utf-8', true],
    ['feed.atom', 'application/atom+xml; charset=utf-8', true],
    ['x.svg', 'image/svg+xml; charset=utf-8', true],
    ['x.wasm', 'application/wasm', true],
    ['x.ttf', 'font/ttf', true],
    ['x.woff2', 'font/woff2', false],
    ['x.png', 'image/png', false],
    ['x.zip', 'application/zip', false],
    ['LICENSE', 'application/octet-stream', false],
    ['x.unheard-of', 'application/octet-stream', false],
  ])('%s is %s, worth compressing: %s', (path, type, isWorthCompressing) => {
    expect(contentTypeOf(path)).toBe(type);
    expect(isCompressible(type)).toBe(isWorthCompressing);
  });
});
