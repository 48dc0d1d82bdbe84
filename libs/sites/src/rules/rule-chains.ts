import { choosePage } from '../page-address.js';
import { parseRequestedPath } from '../requested-path.js';
import { isRedirect, RedirectRules, type RedirectRule } from './redirect-rules.js';
import { ruleLimits, type LineProblem } from './rule-lines.js';
import type { PathPattern } from './path-pattern.js';
import { encodeSegments } from './rule-target.js';

/** Stands for a segment of a path where a rule has a placeholder. */
const SAMPLE = 'sample';

/** The number of redirects that follow a path of a rule, or the lines that come back to it. */
type Chain = { readonly redirects: number } | { readonly loop: readonly number[] };

/**
 * Rules whose redirects come back to themselves, or pass more than five times through this site, which browsers and search
 * engines give up on. Rules with placeholders are tried with one path.
 * @param has whether the deployment has a file
 */
export function findRuleChains(rules: readonly RedirectRule[], has: (path: string) => boolean): LineProblem[] {
  const table = new RedirectRules(rules);
  const known = new Map<string, number>();

  /** The address after one answer, and the line of the rule that gave it; undefined where a page, or nothing, is. */
  const step = (target: string): { readonly to: string; readonly line: number | null } | undefined => {
    const path = parseRequestedPath(target);
    if (path === undefined) return undefined;
    const page =
      table.findForced(path.decoded, '') ?? choosePage(path, 'auto', has) ?? table.findOther(path.decoded, '');
    if (page === undefined) return undefined;
    if ('kind' in page) return page.kind === 'moved' ? { to: page.to, line: null } : undefined;
    const { rule, filled } = page;
    return isRedirect(rule.status) && rule.target.origin === '' ? { to: filled, line: rule.line } : undefined;
  };

  const follow = (start: string): Chain => {
    const passed: string[] = [];
    const lines: (number | null)[] = [];
    let at = start;
    for (;;) {
      const beyond = known.get(at);
      const next = beyond === undefined ? step(at) : undefined;
      if (next === undefined) {
        const redirects = passed.length + (beyond ?? 0);
        for (const [nth, each] of passed.entries()) known.set(each, redirects - nth);
        return { redirects };
      }
      const first = passed.indexOf(at);
      if (first !== -1)
        return { loop: [...new Set(lines.slice(first))].filter((line) => line !== null).sort((a, b) => a - b) };
      if (passed.length > ruleLimits.redirectsInTurn) return { redirects: passed.length };
      passed.push(at);
      lines.push(next.line);
      at = next.to;
    }
  };

  const problems: LineProblem[] = [];
  const inLoops = new Set<number>();
  for (const rule of rules) {
    if (!isRedirect(rule.status) || rule.target.origin !== '' || inLoops.has(rule.line)) continue;
    const chain = follow(samplePath(rule.pattern));
    if ('loop' in chain) {
      for (const line of chain.loop) inLoops.add(line);
      problems.push({ line: rule.line, problem: `redirects in a loop: lines ${chain.loop.join(', ')}` });
    } else if (chain.redirects > ruleLimits.redirectsInTurn)
      problems.push({ line: rule.line, problem: `leads to more than ${ruleLimits.redirectsInTurn} redirects in turn` });
  }
  return problems;
}

/** A path that a pattern matches, encoded. */
function samplePath({ before, after }: PathPattern): string {
  const pieces = after === undefined ? before : [...before, { text: SAMPLE }, ...after.toReversed()];
  const path = pieces.map((piece) => ('text' in piece ? piece.text : SAMPLE)).join('');
  return encodeSegments(path);
}
