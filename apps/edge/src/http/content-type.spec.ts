import { describe, expect, it } from '@jest/globals';
import { contentTypeOf } from './content-type.js';

describe('contentTypeOf', () => {
  it.each([
    ['index.html', 'text/html; charset=utf-8'],
    ['a/b.css', 'text/css; charset=utf-8'],
    ['app.mjs', 'text/javascript; charset=utf-8'],
    ['x.json', 'application/json; charset=utf-8'],
    ['x.svg', 'image/svg+xml'],
    ['x.woff2', 'font/woff2'],
    ['x.wasm', 'application/wasm'],
    ['LICENSE', 'application/octet-stream'],
    ['x.unheard-of', 'application/octet-stream'],
  ])('%s is %s', (path, type) => expect(contentTypeOf(path)).toBe(type));
});
