import { describe, expect, it } from '@jest/globals';
import { compileRules, SiteRules, type RuleTexts } from './site-rules.js';

const compile = (texts: Partial<RuleTexts>, files: readonly string[] = ['index.html']) =>
  compileRules({ redirects: '', headers: '', ...texts }, new Set(files));

function rulesOf(texts: Partial<RuleTexts>, files?: readonly string[]): SiteRules {
  const compiled = compile(texts, files);
  if (!('encoded' in compiled) || compiled.encoded === undefined) throw new Error('no rules');
  return SiteRules.parse(compiled.encoded);
}

function problemsOf(redirects: string, files?: readonly string[]): readonly string[] {
  const compiled = compile({ redirects }, files);
  return 'problems' in compiled
    ? compiled.problems.map(({ file, line, problem }) => `${file} ${line}: ${problem}`)
    : [];
}

describe('the rules of a site', () => {
  it('are none where it has no such file and only the 404.html of the root', () => {
    expect(compile({}, ['index.html', '404.html', 'a/b.html'])).toEqual({ encoded: undefined });
    expect(compile({ redirects: '# none\n', headers: '/x\n' })).toEqual({ encoded: undefined });
  });

  it('are applied as they were parsed', () => {
    const rules = rulesOf({ redirects: '/a/* /b/:splat 302!\n/c /d', headers: '/a/*\n  X-A: b' });
    expect(rules.redirects.findForced('/a/x', '')).toMatchObject({ filled: '/b/x', rule: { status: 302, line: 1 } });
    expect(rules.redirects.findForced('/c', '')).toBeUndefined();
    expect(rules.redirects.findOther('/c', '')).toMatchObject({ filled: '/d', rule: { status: 301 } });
    expect(rules.headersFor('/a/x')).toEqual({ 'x-a': 'b' });
  });

  it('end with 200.html', () => {
    const rules = rulesOf({ redirects: '/old /new' }, ['index.html', '200.html']);
    expect(rules.redirects.findOther('/old', '')).toMatchObject({ filled: '/new' });
    expect(rules.redirects.findOther('/deep/link', '?a=1')).toMatchObject({
      filled: '/200.html?a=1',
      rule: { status: 200 },
    });
  });

  it.each([
    ['/fr/guide/x', 'fr/guide/404.html'],
    ['/fr/other', 'fr/404.html'],
    ['/fr/', 'fr/404.html'],
    ['/fr', 'fr/404.html'],
    ['/french', '404.html'],
    ['/', '404.html'],
  ])('%s shows the nearest 404.html', (path, page) => {
    const rules = rulesOf({}, ['404.html', 'fr/404.html', 'fr/guide/404.html']);
    expect(rules.notFoundPage(path)).toBe(page);
  });

  it('are refused with every line, of both files', () => {
    const compiled = compile({ redirects: 'a b\n/a /b 999', headers: '/x\n  Set-Cookie: a' });
    expect(compiled).toMatchObject({
      problems: [
        { file: '_redirects', line: 1 },
        { file: '_redirects', line: 2 },
        { file: '_headers', line: 2 },
      ],
    });
  });

  it('are refused where the headers of a file are too many together', () => {
    const rule = (path: string, from: number) =>
      `${path}\n${Array.from({ length: 20 }, (_, at) => `  X-${from + at}: a`).join('\n')}\n`;
    const apart = rule('/a/*', 0) + rule('/b/*', 20);
    expect(compile({ headers: apart }, ['a/x', 'b/x'])).toHaveProperty('encoded');
    expect(compile({ headers: apart + rule('/*', 20) }, ['a/x', 'b/x'])).toMatchObject({
      problems: [{ file: '_headers', line: 0, problem: '"a/x" gets more than 32 headers, or 8192 bytes of them' }],
    });
  });

  it('are refused beyond 256 KiB', () => {
    const folders = Array.from({ length: 1_000 }, (_, at) => `${'x'.repeat(300)}${at}/404.html`);
    expect(compile({}, folders)).toMatchObject({ problems: [{ line: 0 }] });
  });
});

describe('redirects in turn', () => {
  const chain = (length: number) => Array.from({ length }, (_, at) => `/${at} /${at + 1}`).join('\n');

  it.each<[string, string, readonly string[]]>([
    ['two that lead to each other', '/a /b\n/b /a', ['_redirects 1: redirects in a loop: lines 1, 2']],
    ['a way into a loop', '/in /a\n/a /b\n/b /a', ['_redirects 1: redirects in a loop: lines 2, 3']],
    ['all into all', '/* /x/:splat', ['_redirects 1: leads to more than 5 redirects in turn']],
    ['a folder without its slash', '/docs/ /docs 301!', []],
    ['the slash of a folder and a rule', '/x /docs\n/docs/* /docs 302!', []],
    ['five', chain(5), []],
    ['six', chain(6), ['_redirects 1: leads to more than 5 redirects in turn']],
    ['to another host', '/a https://b.example/a', []],
    ['to a page', '/a /index.html', []],
    ['shadowed by a page', '/docs/ /b\n/b /docs/', []],
    ['forced before a page', '/docs/ /b 302!\n/b /docs/', ['_redirects 1: redirects in a loop: lines 1, 2']],
    ['a rewrite ends them', '/a /b 200\n/b /a', []],
  ])('%s', (_name, redirects, problems) => {
    expect(problemsOf(redirects, ['index.html', 'docs/index.html'])).toEqual(problems);
  });
});
