import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { chooseFile, compileRules, parseRequestedPath, ruleLimits, SiteRules, type Site } from '../src/index.js';

const guide = new URL('../../../docs/guides/redirects-and-headers.md', import.meta.url);
const files = ['docs/index.html', 'about.html', 'app.js', 'fr/404.html', '200.html', 'app/index.html', '404.html'];

async function openExample(): Promise<Site> {
  const [redirects = '', headers = ''] = [...(await readFile(guide, 'utf8')).matchAll(/^```\n([^`]+)```$/gm)].map(
    ([, block]) => block,
  );
  const compiled = compileRules({ redirects, headers }, new Set(files));
  if (!('encoded' in compiled) || compiled.encoded === undefined) throw new Error(JSON.stringify(compiled));
  const entry = { sha256: '', bytes: 0, freshness: 'revalidated' as const };
  const find: Site['find'] = (paths) =>
    Promise.resolve(new Map(paths.filter((path) => files.includes(path)).map((path) => [path, entry])));
  return { rules: SiteRules.parse(compiled.encoded), find };
}

describe('docs/guides/redirects-and-headers.md', () => {
  it.each([
    ['/docs', '308 /docs/'],
    ['/docs/', '200 docs/index.html'],
    ['/docs/index.html', '308 /docs/'],
    ['/about/', '308 /about'],
    ['/about.html', '200 about.html'],
    ['/app.js', '200 app.js'],
    ['/fr/x', '200 200.html'],
    ['/old?a=b', '301 /new?a=b'],
    ['/news/2026/a/b', '302 /blog/a/b?year=2026'],
    ['/shop/cup', '301 https://shop.example/cup'],
    ['/app/deep', '200 app/index.html'],
    ['/intern/plan', '404 404.html'],
  ])('%s', async (target, expected) => {
    const requested = parseRequestedPath(target);
    if (requested === undefined) throw new Error(target);
    const choice = await chooseFile(await openExample(), requested, 'auto');
    expect(`${choice.status} ${choice.kind === 'file' ? choice.path : choice.to}`).toBe(expected);
  });

  it('names the limits, and headers that are applied', async () => {
    const { rules } = await openExample();
    const cacheControl = 'public, max-age=31536000, immutable';
    expect(rules?.headersFor('/assets/x')).toEqual({ 'x-frame-options': 'DENY', 'cache-control': cacheControl });
    const text = await readFile(guide, 'utf8');
    for (const limit of [ruleLimits.dynamicRedirects, ruleLimits.headerRules, ruleLimits.headers])
      expect(text).toContain(` ${limit} `);
    expect(text).toContain('2 000 rules');
  });
});
