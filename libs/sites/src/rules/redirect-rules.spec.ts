import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRequestedPath } from '../requested-path.js';
import { parseRedirects, RedirectRules, type RedirectRule, type RuleMatch } from './redirect-rules.js';

/** The first rule, where there is no file. */
function findRule(rules: readonly RedirectRule[], decoded: string, query: string): RuleMatch | undefined {
  const table = new RedirectRules(rules);
  return table.findForced(decoded, query) ?? table.findOther(decoded, query);
}

/** The answer of a file to a target: status and where it leads, or `-`. */
function answer(text: string, target: string): string {
  const { rules, problems } = parseRedirects(text);
  expect(problems).toEqual([]);
  const requested = parseRequestedPath(target);
  if (requested === undefined) throw new Error(`${target} is malformed`);
  const match = findRule(rules, requested.decoded, requested.query);
  return match === undefined ? '-' : `${match.rule.status} ${match.rule.target.origin}${match.filled}`;
}

const problemsOf = (text: string) => parseRedirects(text).problems.map(({ line, problem }) => `${line}: ${problem}`);

describe('a rule of _redirects', () => {
  it.each([
    ['/old /new', '/old', '301 /new'],
    ['/old /new', '/old/', '301 /new'],
    ['/old/ /new', '/old', '301 /new'],
    ['/old /new', '/Old', '-'],
    ['/old /new', '/old/x', '-'],
    ['/old /new 302', '/old?a=1&b=2', '302 /new?a=1&b=2'],
    ['/old /new?c=3', '/old?a=1', '301 /new?c=3'],
    ['/old /new#part', '/old?a=1', '301 /new?a=1#part'],
    ['/old https://Docs.Example:8443/new 308', '/old', '308 https://docs.example:8443/new'],
    ['/caf%C3%A9 /x', '/cafe%CC%81', '301 /x'],
    ['/café /ü', '/caf%C3%A9', '301 /%C3%BC'],
    ['/a%20b /c%20d', '/a%20b', '301 /c%20d'],
    // Placeholders.
    ['/news/:year/:slug /blog/:slug?from=:year', '/news/2026/a%20b', '301 /blog/a%20b?from=2026'],
    ['/news/:year/:slug /blog/:slug', '/news/2026', '-'],
    ['/news/:year/:slug /blog/:slug', '/news//x', '-'],
    ['/a:b /c:d', '/a:b', '301 /c:d'],
    ['/x/:id /y/:id-:id', '/x/1', '301 /y/1-1'],
    // Splats.
    ['/blog/* /news/:splat', '/blog/a/b/', '301 /news/a/b/'],
    ['/blog/* /news/:splat', '/blog', '301 /news/'],
    ['/blog/* /news/:splat', '/blogs', '-'],
    ['/blog/* /search?q=:splat', '/blog/a/b%26c', '301 /search?q=a%2Fb%26c'],
    ['/img/*.png /webp/:splat.webp', '/img/a/b.png', '301 /webp/a/b.webp'],
    ['/img/*/full /small/:splat', '/img/a/full', '301 /small/a'],
    ['/v1/*/:id /v2/:id/:splat', '/v1/a/b/c', '301 /v2/c/a/b'],
    ['/* https://new.example/:splat', '/a/b?c=d', '301 https://new.example/a/b?c=d'],
    // Nobody is sent to another host, and nothing begins a query or a fragment.
    ['/* /:splat', '//evil.example/x', '301 /evil.example/x'],
    ['/out/* https://new.example/:splat', '/out//evil.example', '301 https://new.example/evil.example'],
    ['/x/:a /y/:a', '/x/b%3Fc%23d', '301 /y/b%3Fc%23d'],
    ['/x/:a /y?z=:a', '/x/b%26c%3Dd', '301 /y?z=b%26c%3Dd'],
    ['/x/:a /y/:a', '/x/%252e%252e', '301 /y/%252e%252e'],
    // Statuses, marks and comments.
    ['/old /new 301!  # the shop moved', '/old', '301 /new'],
    ['# /old /new\n\n\t/old   /newer\t303', '/old', '303 /newer'],
    ['\ufeff/old /new\r\n/a /b', '/a', '301 /b'],
    ['/app/* /app.html 200', '/app/x', '200 /app.html'],
    ['/secret/* /404.html 404', '/secret/x', '404 /404.html'],
    // The first rule wins, whichever is which.
    ['/a /first\n/a /second', '/a', '301 /first'],
    ['/* /all\n/a /a-only', '/a', '301 /all'],
    ['/a /a-only\n/* /all', '/a', '301 /a-only'],
    // A rule that leads to the address itself counts for none.
    ['/a /a/', '/a', '-'],
    ['/* /:splat\n/b /c', '/b', '301 /c'],
    ['/a /a/\n/* /b', '/a', '301 /b'],
    ['/a /a/\n/a /b', '/a', '301 /b'],
  ])('%j answers %s with %s', (text, target, answered) => expect(answer(text, target)).toBe(answered));

  it.each([
    ['/old', '1: the target is missing'],
    ['old /new', '1: "old" does not begin with /'],
    ['https://a.example/old /new', '1: a rule for a host is not possible: begin with the path'],
    ['/old id=:id /new', '1: a rule for the query parameter "id=:id" is not possible'],
    ['/old?id=1 /new', '1: a rule for a query is not possible: end the path before ? or #'],
    ['/old /new 302 Country=de', '1: the condition "Country=de" is not possible'],
    ['/old /new Country=de', '1: the condition "Country=de" is not possible'],
    ['/old /new 201', '1: "201" is no status of a rule: 200, 301, 302, 303, 307, 308 or 404, perhaps with !'],
    ['/old /new soon', '1: "soon" is no status of a rule: 200, 301, 302, 303, 307, 308 or 404, perhaps with !'],
    [
      '/a /b\n\n/api/* https://api.example/:splat 200',
      '3: a rewrite to another host is not possible: 200 needs a path',
    ],
    ['/a/*/b/* /c', '1: only one * is possible'],
    ['/:a/:a /c', '1: :a is given more than once'],
    ['/:splat /c', '1: :splat is the name of what * stands for'],
    ['/a /b/:id', '1: :id does not occur in the path of the rule'],
    ['/a /b/:splat', '1: :splat does not occur in the path of the rule, which has no *'],
    ['/a new', '1: "new" is neither a path that begins with / nor a URL with http or https'],
    [
      '/a javascript:alert(1)',
      '1: "javascript:alert(1)" is neither a path that begins with / nor a URL with http or https',
    ],
    ['/a //evil.example', '1: "//evil.example" begins with two slashes: write https: in front of a host'],
    ['/a https://user@evil.example/', '1: "https://user@evil.example/" is not a URL that a rule may lead to'],
    ['/out/* https://new.example:splat', '1: "https://new.example:splat" is not a URL that a rule may lead to'],
    ['/:h/x https://:h/x', '1: "https://:h/x" is not a URL that a rule may lead to'],
    ['/a /b\\c', '1: "/b\\\\c" has a character that a URL cannot have'],
    ['/a /b\u0000', '1: "/b\\u0000" has a character that a URL cannot have'],
    ['/%zz /b', '1: "/%zz" is not a path'],
    [`/a /${'b'.repeat(2_001)}`, '1: longer than 2000 characters'],
  ])('%j is refused', (text, problem) => expect(problemsOf(text)).toEqual([problem]));

  it('is one of at most 2 000, and 100 with a placeholder', () => {
    const lines = (count: number, from: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => `${from(at)} /x`).join('\n');
    expect(problemsOf(lines(2_000, (at) => `/${at}`))).toEqual([]);
    expect(problemsOf(lines(2_001, (at) => `/${at}`))).toEqual(['2001: more than 2000 rules without a placeholder']);
    expect(problemsOf(lines(100, (at) => `/${at}/*`))).toEqual([]);
    expect(problemsOf(lines(101, (at) => `/${at}/*`))).toEqual(['101: more than 100 rules with a placeholder or *']);
  });

  it('keeps every text in its place, for any path and target', () => {
    const segment = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('', '?', '#', '//', '%2f', 'é', ':', '@'));
    const path = fc.array(segment, { maxLength: 4 }).map((segments) => segments.map(encodeURIComponent).join('/'));
    const targets = [
      '/t/:splat',
      '/:splat',
      '/t?q=:splat',
      'https://new.example/:splat',
      'https://new.example/t?q=:splat',
    ];
    fc.assert(
      fc.property(path, fc.constantFrom(...targets), (sent, target) => {
        const requested = parseRequestedPath(`/x/${sent}`);
        if (requested === undefined) return;
        const { rules } = parseRedirects(`/x/* ${target}`);
        const match = findRule(rules, requested.decoded, '');
        if (match === undefined) return;
        const location = new URL(match.rule.target.origin + match.filled, 'https://shop.example');
        expect(location.host).toBe(target.startsWith('/') ? 'shop.example' : 'new.example');
        expect(location.hash).toBe('');
        expect(location.search.startsWith('?q=')).toBe(target.includes('?'));
        expect([...location.searchParams.keys()]).toEqual(target.includes('?') ? ['q'] : []);
        expect(match.filled).toMatch(/^\/(?!\/)[\x21-\x7e]*$/);
        expect(match.filled).not.toContain('\\');
      }),
      { numRuns: 3_000 },
    );
  });
});
