import { describe, expect, it } from '@jest/globals';
import { contentTypeOf, isCompressible } from './content-type.js';

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
  ])('%s is %s, worth compressing: %s', (path, type, isWorth) => {
    expect([contentTypeOf(path), isCompressible(type)]).toEqual([type, isWorth]);
  });
});
