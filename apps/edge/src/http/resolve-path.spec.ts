import { describe, expect, it } from '@jest/globals';
import { resolvePath } from './resolve-path.js';

const files = (...candidates: string[]) => ({ kind: 'files', candidates });

describe('resolvePath', () => {
  it.each([
    ['/', files('index.html')],
    ['/?a=/../b', files('index.html')],
    ['/about', files('about', 'about.html', 'about/index.html')],
    ['/docs/', files('docs/index.html')],
    ['/docs/a.css?v=1', files('docs/a.css', 'docs/a.css.html', 'docs/a.css/index.html')],
    ['/caf%C3%A9', files('café', 'café.html', 'café/index.html')],
    ['/a%20b', files('a b', 'a b.html', 'a b/index.html')],
    ['/.well-known/x', files('.well-known/x', '.well-known/x.html', '.well-known/x/index.html')],
    ['/...', files('...', '....html', '.../index.html')],
    ['/%252e%252e/x', files('%2e%2e/x', '%2e%2e/x.html', '%2e%2e/x/index.html')],
    ['//evil.com', files()],
    ['/a//b', files()],
  ])('%s', (target, resolved) => expect(resolvePath(target)).toEqual(resolved));

  it.each([
    '/..',
    '/../',
    '/../../etc/passwd',
    '/a/../../b',
    '/./a',
    '/%2e%2e/etc/passwd',
    '/%2E%2e/',
    '/.%2e/',
    '/..%2fetc%2fpasswd',
    '/a%2f..%2fb',
    '/..%5cetc',
    '/..\\..\\etc',
    '/a\\b',
    '/a%00.html',
    '/%00',
    '/%',
    '/%zz',
    '/%E0%A4%A',
    '/%c0%ae%c0%ae/',
    '/a%0d%0ab',
  ])('refuses %s', (target) => expect(resolvePath(target)).toEqual({ kind: 'malformed' }));
});
