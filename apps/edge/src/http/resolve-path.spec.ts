import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resolvePath } from './respond.js';

const files = (...candidates: string[]) => ({ kind: 'files', candidates });

describe('resolvePath', () => {
  it.each([
    ['/', files('index.html')],
    ['/?a=/../b', files('index.html')],
    ['/about', files('about', 'about.html', 'about/index.html')],
    ['/docs/', files('docs/index.html')],
    ['/docs/a.css?v=1', files('docs/a.css', 'docs/a.css.html', 'docs/a.css/index.html')],
    ['/caf%C3%A9', files('café', 'café.html', 'café/index.html')],
    ['/cafe%CC%81', files('café', 'café.html', 'café/index.html')],
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

  const steps = ['a', '..', '.', '%2e', '%2E%2e', '.%2e', '%2f', '%5c', '\\', '%00', '%', '%25', 'é', '?', '#', ''];

  it('never names a file outside of the deployment', () => {
    const step = fc.oneof(fc.constantFrom(...steps), fc.string({ maxLength: 4 }));
    const target = fc.array(
      fc.array(step, { maxLength: 3 }).map((parts) => parts.join('')),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(target, (segments) => {
        const resolved = resolvePath(`/${segments.join('/')}`);
        for (const path of resolved.kind === 'files' ? resolved.candidates : []) {
          expect(path.split('/')).not.toEqual(expect.arrayContaining(['..']));
          expect(path).not.toMatch(/[\u0000-\u001f\u007f\\]|^\/|\/\/|(?:^|\/)\.(?:\/|$)/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
