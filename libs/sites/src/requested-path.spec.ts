import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pathsOfPage } from './page-address.js';
import { locationOf, parseRequestedPath } from './requested-path.js';

describe('parseRequestedPath', () => {
  it.each([
    ['/', '/', '/', ''],
    ['/?a=/../b', '/', '/', '?a=/../b'],
    ['/about', '/about', '/about', ''],
    ['/docs/', '/docs/', '/docs/', ''],
    ['/docs/a.css?v=1?w', '/docs/a.css', '/docs/a.css', '?v=1?w'],
    ['/a#b?c', '/a', '/a', ''],
    ['/caf%C3%A9', '/caf%C3%A9', '/café', ''],
    ['/cafe%CC%81', '/cafe%CC%81', '/café', ''],
    ['/a%20b', '/a%20b', '/a b', ''],
    ['/...', '/...', '/...', ''],
    ['/%252e%252e/x', '/%252e%252e/x', '/%2e%2e/x', ''],
    ['//evil.com', '//evil.com', '//evil.com', ''],
  ])('%s', (target, sent, decoded, query) => expect(parseRequestedPath(target)).toEqual({ sent, decoded, query }));

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
  ])('refuses %s', (target) => expect(parseRequestedPath(target)).toBeUndefined());

  const steps = [
    'a',
    '..',
    '.',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%2f',
    '%5c',
    '\\',
    '%00',
    '%',
    '%25',
    'é',
    '?',
    '#',
    '',
    'index',
  ];

  it('never leads to a file outside of the deployment', () => {
    const step = fc.oneof(fc.constantFrom(...steps), fc.string({ maxLength: 4 }));
    const target = fc.array(
      fc.array(step, { maxLength: 3 }).map((parts) => parts.join('')),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(target, (segments) => {
        const requested = parseRequestedPath(`/${segments.join('/')}`);
        for (const path of requested === undefined ? [] : pathsOfPage(requested)) {
          expect(path.split('/')).not.toEqual(expect.arrayContaining(['..']));
          expect(path).not.toMatch(/[\u0000-\u001f\u007f\\]|^\/|\/\/|(?:^|\/)\.(?:\/|$)/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('locationOf', () => {
  it.each([
    ['/a/b?c=d&e', 443, 'https://to.test/a/b?c=d&e'],
    ['/a', 8443, 'https://to.test:8443/a'],
    ['//evil.com/%2f..', 443, 'https://to.test//evil.com/%2f..'],
    ['/\\evil.com', 443, 'https://to.test/\\evil.com'],
    ['/%0d%0aSet-Cookie:x', 443, 'https://to.test/%0d%0aSet-Cookie:x'],
    ['/a\r\nb', 443, 'https://to.test/a%0D%0Ab'],
    ['/\u00e9', 443, 'https://to.test/%E9'],
    ['/\u20ac', 443, 'https://to.test/%E2%82%AC'],
  ])('%j on port %d is %j', (target, port, location) => expect(locationOf('to.test', port, target)).toBe(location));
});
