import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bundleLimits } from '@pets/contracts';
import { BundlePaths, parseBundlePath } from './bundle-files.js';

describe('parseBundlePath', () => {
  it.each([
    ['index.html', 'index.html'],
    ['./index.html', 'index.html'],
    ['././a/b', 'a/b'],
    ['.well-known/x', '.well-known/x'],
    ['a..b/...', 'a..b/...'],
    ['[slug]/a b%2e.js', '[slug]/a b%2e.js'],
    ['C:/x', 'C:/x'],
    ['cafe\u0301.html', 'caf\u00e9.html'],
    ['\u{1f436}.png', '\u{1f436}.png'],
  ])('%j is kept as %j', (raw, path) => expect(parseBundlePath(raw)).toBe(path));

  it.each([
    '',
    '.',
    './',
    '..',
    '../x',
    'a/../b',
    'a/..',
    'a/./b',
    'a//b',
    'a/',
    '/etc/passwd',
    './/x',
    '\\x',
    'a\\..\\b',
    'a\0b',
    'a\nb',
    'a\u007fb',
    '\ufffd.html',
    'a'.repeat(bundleLimits.pathLength + 1),
  ])('%j is refused', (raw) =>
    expect(() => parseBundlePath(raw)).toThrow(expect.objectContaining({ code: 'invalid_bundle' })),
  );

  it.each([
    [
      '/var/www/index.html',
      'is absolute. Deploy the folder with pets deploy, or pack it: tar -czhf site.tar.gz -C FOLDER .',
    ],
    ['b\ufffdcher.html', 'is not in UTF-8. Rename the file'],
    [`./${'a'.repeat(bundleLimits.pathLength + 1)}`, 'has more than 512 characters'],
    ['a/../b', 'a part of dots'],
  ])('%j is refused with what to do', (raw, fault) => expect(() => parseBundlePath(raw)).toThrow(fault));

  it('never leaves the deployment', () => {
    const step = fc.oneof(fc.constantFrom('..', '.', '', 'a', '\\', '\0'), fc.string({ unit: 'binary', maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        try {
          const path = parseBundlePath(steps.join('/'));
          expect(path.split('/').every((each) => !['', '.', '..'].includes(each))).toBe(true);
          expect(parseBundlePath(path)).toBe(path);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_bundle' });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('BundlePaths', () => {
  const add = (...paths: readonly string[]) => {
    const bundle = new BundlePaths();
    for (const path of paths) bundle.addPath(path);
    bundle.requireNoFolders();
  };

  it.each([[['a', 'b', 'c/a', 'c/b']], [['A.html', 'a.html']], [['a', 'a.html', 'ab/c']], [['a', 'a!', 'a-/b']]])(
    'accepts %j',
    (paths) => expect(() => add(...paths)).not.toThrow(),
  );

  it.each([
    [['a', 'a'], 'twice'],
    [['a', 'a/b'], 'as a file and as a folder'],
    [['a/b/c', 'a'], 'as a file and as a folder'],
    [['a/b/c', 'a/b'], 'as a file and as a folder'],
    [['a!', 'a/b', 'a-b', 'a'], 'as a file and as a folder'],
  ])('refuses %j', (paths, reason) => expect(() => add(...paths)).toThrow(reason));

  it('limits the number of files', () => {
    const paths = Array.from({ length: bundleLimits.files }, (_, nth) => `f${nth}`);
    expect(() => add(...paths)).not.toThrow();
    expect(() => add(...paths, 'one-more')).toThrow('more than 10000 files');
  });

  it('limits the total length of paths, counted in UTF-8', () => {
    const paths = Array.from({ length: 2_048 }, (_, nth) => `${nth}`.padStart(4, '0') + 'é'.repeat(254));
    expect(() => add(...paths)).not.toThrow();
    expect(() => add(...paths, 'x')).toThrow(`more than ${bundleLimits.pathBytes} bytes in total`);
  });
});
