import { parseRequestedPath } from '../requested-path.js';
import { matchPattern, normalizePath, parsePattern, quote, type PathPattern } from './path-pattern.js';
import { fillTarget, parseTarget, type RuleTarget } from './rule-target.js';
import { linesOf, ruleLimits, type LineProblem } from './rule-lines.js';

/** `_redirects`: what a site answers at paths, in the syntax that Netlify and Cloudflare Pages share. */

const redirectStatuses = [301, 302, 303, 307, 308] as const;
type RedirectStatus = (typeof redirectStatuses)[number];
/** 200 shows another file at the address, 404 another file as the page of what is not found. */
export type RuleStatus = RedirectStatus | 200 | 404;
const DEFAULT_STATUS = 301;

/** A line of `_redirects`, as the index of a deployment stores it. */
export interface RedirectLine {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly status: RuleStatus;
  /** Whether it goes before a file of the same address: `301!`. */
  readonly isForced: boolean;
}

export interface RedirectRule extends RedirectLine {
  readonly pattern: PathPattern;
  readonly target: RuleTarget;
}

/** The rule for a request, and where it leads. */
export interface RuleMatch {
  readonly rule: RedirectRule;
  /** Path and query of the target, encoded. */
  readonly filled: string;
}

/** Parses a file `_redirects`. */
export function parseRedirects(text: string): { readonly rules: RedirectRule[]; readonly problems: LineProblem[] } {
  const rules: RedirectRule[] = [];
  const problems: LineProblem[] = [];
  let [fixed, dynamic] = [0, 0];
  for (const { line, text: content } of linesOf(text, problems)) {
    const parsed = parseLine(line, content.replace(/\s#.*$/, '').trim());
    if ('problem' in parsed) {
      problems.push({ line, problem: parsed.problem });
      continue;
    }
    rules.push(parsed);
    if (parsed.pattern.isLiteral) fixed += 1;
    else dynamic += 1;
    const excess = excessOf(fixed, dynamic);
    if (excess === undefined) continue;
    problems.push({ line, problem: excess });
    break;
  }
  return { rules, problems };
}

function excessOf(fixed: number, dynamic: number): string | undefined {
  const { staticRedirects, dynamicRedirects } = ruleLimits;
  if (fixed > staticRedirects) return `more than ${staticRedirects} rules without a placeholder`;
  return dynamic > dynamicRedirects ? `more than ${dynamicRedirects} rules with a placeholder or *` : undefined;
}

/** @throws Error when a stored line is no rule */
export function restoreRule(line: RedirectLine): RedirectRule {
  const rule = toRule(line);
  if ('problem' in rule) throw new Error(`the stored rule of line ${line.line} is invalid: ${rule.problem}`);
  return rule;
}

function parseLine(line: number, text: string): RedirectRule | { readonly problem: string } {
  const [from = '', to, ...rest] = text.split(/\s+/);
  if (/^https?:\/\//i.test(from)) return { problem: 'a rule for a host is not possible: begin with the path' };
  if (!from.startsWith('/')) return { problem: `${quote(from)} does not begin with /` };
  if (/[?#]/.test(from)) return { problem: 'a rule for a query is not possible: end the path before ? or #' };
  if (to === undefined) return { problem: 'the target is missing' };
  if (/^\w+=/.test(to)) return { problem: `a rule for the query parameter ${quote(to)} is not possible` };
  const [status = String(DEFAULT_STATUS), ...conditions] = rest;
  const [, digits = '', mark] = /^(\d{3})(!?)$/.exec(status) ?? [];
  const condition = [status, ...conditions].find((word) => word.includes('='));
  if (condition !== undefined) return { problem: `the condition ${quote(condition)} is not possible` };
  if (!isStatus(Number(digits)) || conditions.length > 0) {
    const unknown = digits === '' || conditions.length > 0 ? [status, ...conditions].join(' ') : digits;
    return { problem: `${quote(unknown)} is no status of a rule: 200, 301, 302, 303, 307, 308 or 404, perhaps with !` };
  }
  return toRule({ line, from, to, status: Number(digits) as RuleStatus, isForced: mark === '!' });
}

function toRule(line: RedirectLine): RedirectRule | { readonly problem: string } {
  const pattern = parsePattern(line.from);
  if ('problem' in pattern) return pattern;
  const target = parseTarget(line.to, pattern.names);
  if ('problem' in target) return target;
  const isRewrite = !isRedirect(line.status);
  if (isRewrite && target.origin !== '')
    return { problem: `a rewrite to another host is not possible: ${line.status} needs a path` };
  return { ...line, pattern, target };
}

export function isRedirect(status: RuleStatus): status is RedirectStatus {
  return redirectStatuses.some((each) => each === status);
}

function isStatus(status: number): status is RuleStatus {
  return status === 200 || status === 404 || redirectStatuses.some((each) => each === status);
}

/** Rules in the order in which they are tried: those for one path are found at once, only those with a placeholder in turn. */
class RedirectTable {
  readonly #fixed = new Map<string, { readonly rule: RedirectRule; readonly at: number }>();
  readonly #dynamic: { readonly rule: RedirectRule; readonly at: number }[] = [];

  constructor(rules: readonly RedirectRule[]) {
    for (const [at, rule] of rules.entries()) {
      const { source, isLiteral } = rule.pattern;
      if (!isLiteral) this.#dynamic.push({ rule, at });
      else if (!this.#fixed.has(source) && !leadsToItself(rule, fillTarget(rule.target, new Map(), ''), source))
        this.#fixed.set(source, { rule, at });
    }
  }

  find(decoded: string, query: string): RuleMatch | undefined {
    const fixed = this.#fixed.get(normalizePath(decoded));
    const candidates =
      fixed === undefined ? this.#dynamic : [...this.#dynamic.filter(({ at }) => at < fixed.at), fixed];
    for (const { rule } of candidates) {
      const captures = matchPattern(rule.pattern, decoded);
      if (captures === undefined) continue;
      const filled = fillTarget(rule.target, captures, query);
      if (!leadsToItself(rule, filled, decoded)) return { rule, filled };
    }
    return undefined;
  }
}

/** The rules of a site by path. A rule that leads to the address itself counts for none. */
export class RedirectRules {
  readonly #forced: RedirectTable;
  readonly #others: RedirectTable;

  constructor(rules: readonly RedirectRule[]) {
    this.#forced = new RedirectTable(rules.filter(({ isForced }) => isForced));
    this.#others = new RedirectTable(rules.filter(({ isForced }) => !isForced));
  }

  /**
   * The rule that goes before files.
   * @param decoded the path of a request
   * @param query with its question mark; empty without
   */
  findForced(decoded: string, query: string): RuleMatch | undefined {
    return this.#forced.find(decoded, query);
  }

  /** The rule for a path without a file. */
  findOther(decoded: string, query: string): RuleMatch | undefined {
    return this.#others.find(decoded, query);
  }
}

function leadsToItself({ status, target }: RedirectRule, filled: string, decoded: string): boolean {
  if (!isRedirect(status) || target.origin !== '') return false;
  const path = parseRequestedPath(filled);
  return path !== undefined && normalizePath(path.decoded) === normalizePath(decoded);
}
