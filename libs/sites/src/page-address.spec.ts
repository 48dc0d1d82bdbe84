import { describe, expect, it } from '@jest/globals';
import { trailingSlashes, type TrailingSlash } from '@pets/contracts';
import fc from 'fast-check';
import { choosePage, fileAt, pathsOfPage, type PageChoice } from './page-address.js';
import { parseRequestedPath } from './requested-path.js';

const files = new Set([
  'index.html',
  'about.html',
  'app.js',
  'docs/index.html',
  'docs/setup.html',
  'both.html',
  'both/index.html',
  'plain',
  'café/index.html',
  'a b.html',
  'deep/index/index.html',
]);

function choose(target: string, policy: TrailingSlash, of: ReadonlySet<string> = files): PageChoice | undefined {
  const requested = parseRequestedPath(target);
  if (requested === undefined) throw new Error(`${target} is malformed`);
  const asked = new Set(pathsOfPage(requested));
  return choosePage(requested, policy, (path) => {
    if (!asked.has(path)) throw new Error(`${path} was not read`);
    return of.has(path);
  });
}

/** A file as it is, `→` and the path of a redirect, or `-`. */
function show(target: string, policy: TrailingSlash): string {
  const page = choose(target, policy);
  if (page === undefined) return '-';
  return page.kind === 'file' ? page.path : `→ ${page.to}`;
}

describe('the address of a page', () => {
  it.each([
    // target, auto, always, never
    ['/', 'index.html', 'index.html', 'index.html'],
    ['/index.html', '→ /', '→ /', '→ /'],
    ['/index', '→ /', '→ /', '→ /'],
    ['/about', 'about.html', '→ /about/', 'about.html'],
    ['/about/', '→ /about', 'about.html', '→ /about'],
    ['/about.html', 'about.html', 'about.html', 'about.html'],
    ['/about.html/', '-', '-', '-'],
    ['/app.js', 'app.js', 'app.js', 'app.js'],
    ['/app.js/', '-', '-', '-'],
    ['/app', '-', '-', '-'],
    ['/docs', '→ /docs/', '→ /docs/', 'docs/index.html'],
    ['/docs/', 'docs/index.html', 'docs/index.html', '→ /docs'],
    ['/docs/index.html', '→ /docs/', '→ /docs/', '→ /docs'],
    ['/docs/index', '→ /docs/', '→ /docs/', '→ /docs'],
    ['/docs/index/', '→ /docs/', '→ /docs/', '→ /docs'],
    ['/docs/setup/', '→ /docs/setup', 'docs/setup.html', '→ /docs/setup'],
    // Two pages: each keeps its own address.
    ['/both', 'both.html', 'both.html', 'both.html'],
    ['/both/', 'both/index.html', 'both/index.html', 'both/index.html'],
    ['/both/index.html', '→ /both/', '→ /both/', '→ /both/'],
    ['/plain', 'plain', 'plain', 'plain'],
    ['/caf%C3%A9', '→ /caf%C3%A9/', '→ /caf%C3%A9/', 'café/index.html'],
    ['/a%20b/', '→ /a%20b', 'a b.html', '→ /a%20b'],
    ['/deep/index', '→ /deep/index/', '→ /deep/index/', 'deep/index/index.html'],
    ['/deep/index/index.html', '→ /deep/index/', '→ /deep/index/', '→ /deep/index'],
    ['//', '-', '-', '-'],
    ['//about', '-', '-', '-'],
    ['/docs//', '-', '-', '-'],
    ['/nowhere', '-', '-', '-'],
  ])('%s', (target, auto, always, never) =>
    expect(trailingSlashes.map((policy) => show(target, policy))).toEqual([auto, always, never]),
  );

  it('of a redirect shows the same file, whatever files there are', () => {
    const name = fc.constantFrom('a', 'index', 'a.html', 'index.html', 'b');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(
        fc.uniqueArray(path, { maxLength: 8 }),
        path,
        fc.constantFrom('', '/'),
        fc.constantFrom(...trailingSlashes),
        (paths, asked, slash, policy) => {
          const of = new Set(paths);
          const requested = parseRequestedPath(`/${asked}${slash}`);
          const page = choose(`/${asked}${slash}`, policy, of);
          if (page?.kind !== 'moved' || requested === undefined) return;
          expect(choose(page.to, policy, of)).toEqual({
            kind: 'file',
            path: fileAt(requested, (each) => of.has(each)),
          });
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it.each(['/docs', '/docs/', '/docs/index', '/docs/index.html'])('of a rewrite does not matter: %s', (target) => {
    const requested = parseRequestedPath(target);
    expect(requested && fileAt(requested, (path) => files.has(path))).toBe('docs/index.html');
  });
});
