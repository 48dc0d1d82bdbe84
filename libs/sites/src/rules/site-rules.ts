import { choosePage } from '../page-address.js';
import { parseRequestedPath } from '../requested-path.js';
import {
  mergeHeaders,
  parseHeaders,
  restoreHeaderRule,
  rulesFor,
  type HeaderLines,
  type HeaderRule,
} from './header-rules.js';
import { normalizePath, quote, type PathPattern } from './path-pattern.js';
import {
  isRedirect,
  parseRedirects,
  RedirectRules,
  restoreRule,
  type RedirectLine,
  type RedirectRule,
} from './redirect-rules.js';
import { ruleLimits, type LineProblem } from './rule-lines.js';
import { encodeSegments } from './rule-target.js';

/**
 * Rules of a deployment for its answers: `_redirects`, `_headers`, and the folders that have a `404.html`.
 * The API makes it from an upload and stores it behind the index; an edge reads it once for a deployment.
 */

export const REDIRECTS_FILE = '_redirects';
export const HEADERS_FILE = '_headers';
/** Shown, with status 200, where no file and no rule applies: single-page applications route in the browser. */
const FALLBACK_PAGE = '200.html';
export const NOT_FOUND_PAGE = '404.html';

/** Files that configure a deployment, and that visitors never get. */
export const ruleFiles: ReadonlySet<string> = new Set([REDIRECTS_FILE, HEADERS_FILE]);

export interface RuleTexts {
  /** The content of `_redirects`; empty without. */
  readonly redirects: string;
  readonly headers: string;
}

/** Lines of a file that cannot be applied. */
export interface RuleProblem extends LineProblem {
  readonly file: string;
}

interface StoredRules {
  readonly redirects: readonly RedirectLine[];
  readonly headers: readonly HeaderLines[];
  /** Folders with a `404.html`, without a slash at the end; empty when only the root has one. */
  readonly notFoundFolders: readonly string[];
}

/**
 * Makes the rules of a deployment.
 * @param files the paths that visitors can get
 * @returns `encoded`: for `encodeSiteIndex`, undefined for a site that needs none; or every problem that was found
 */
export function compileRules(
  { redirects, headers }: RuleTexts,
  files: ReadonlySet<string>,
): { readonly encoded: Buffer | undefined } | { readonly problems: readonly RuleProblem[] } {
  const ofRedirects = parseRedirects(redirects);
  const ofHeaders = parseHeaders(headers);
  const has = (path: string) => files.has(path);
  const chains = ofRedirects.problems.length === 0 ? findRuleChains(ofRedirects.rules, has) : [];
  const problems: RuleProblem[] = [
    ...[...ofRedirects.problems, ...chains].map((problem) => ({ file: REDIRECTS_FILE, ...problem })),
    ...ofHeaders.problems.map((problem) => ({ file: HEADERS_FILE, ...problem })),
  ];
  const crowded = problems.length === 0 ? findCrowded(ofHeaders.rules, files) : undefined;
  if (crowded !== undefined)
    problems.push({
      file: HEADERS_FILE,
      line: 0,
      problem: `${quote(crowded)} gets more than ${ruleLimits.headers} headers, or ${ruleLimits.headerBytes} bytes of them`,
    });
  if (problems.length > 0) return { problems };
  const folders = [...files].filter((path) => path.endsWith(`/${NOT_FOUND_PAGE}`)).map(folderOf);
  const stored: StoredRules = {
    redirects: [...ofRedirects.rules.map(lineOf), ...(has(FALLBACK_PAGE) ? [fallback] : [])],
    headers: ofHeaders.rules.map(({ line, path, fields }) => ({ line, path, fields })),
    notFoundFolders: folders,
  };
  if (Object.values(stored).every(({ length }) => length === 0)) return { encoded: undefined };
  const encoded = Buffer.from(JSON.stringify(stored));
  if (encoded.length <= ruleLimits.bytes) return { encoded };
  const problem = `rules, and folders with a ${NOT_FOUND_PAGE}, take more than ${ruleLimits.bytes} bytes`;
  return { problems: [{ file: REDIRECTS_FILE, line: 0, problem }] };
}

/** The rules of a deployment, as an edge applies them. */
export class SiteRules {
  readonly redirects: RedirectRules;
  readonly #headers: readonly HeaderRule[];
  readonly #notFoundFolders: ReadonlySet<string>;

  constructor({ redirects, headers, notFoundFolders }: StoredRules) {
    this.redirects = new RedirectRules(redirects.map(restoreRule));
    this.#headers = headers.map(restoreHeaderRule);
    this.#notFoundFolders = new Set(notFoundFolders);
  }

  /** @param encoded of `compileRules`, as it was stored */
  static parse(encoded: Buffer): SiteRules {
    return new SiteRules(JSON.parse(encoded.toString()) as StoredRules);
  }

  /** The fields of `_headers` for a path; names in lower case. */
  headersFor(decoded: string): Readonly<Record<string, string>> {
    return this.#headers.length === 0 ? noHeaders : mergeHeaders(rulesFor(this.#headers, decoded)).headers;
  }

  /** The `404.html` of the nearest folder; that of the root if no folder has one. */
  notFoundPage(decoded: string): string {
    const folders = this.#notFoundFolders;
    if (folders.size === 0) return NOT_FOUND_PAGE;
    for (let folder = normalizePath(decoded).slice(1); folder !== ''; folder = folderOf(folder))
      if (folders.has(folder)) return `${folder}/${NOT_FOUND_PAGE}`;
    return NOT_FOUND_PAGE;
  }
}

const noHeaders = {};

const fallback: RedirectLine = { line: 0, from: '/*', to: `/${FALLBACK_PAGE}`, status: 200, isForced: false };

function lineOf({ line, from, to, status, isForced }: RedirectRule): RedirectLine {
  return { line, from, to, status, isForced };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** A file whose answer would have more fields than it may. Looked for only where all rules together have that many. */
function findCrowded(rules: readonly HeaderRule[], files: ReadonlySet<string>): string | undefined {
  if (mergeHeaders(rules).fits) return undefined;
  return [...files].find((path) => !mergeHeaders(rulesFor(rules, `/${path}`)).fits);
}

/** Stands for a segment of a path where a rule has a placeholder. */
const SAMPLE = 'sample';

/** The number of redirects that follow a path of a rule, or the lines that come back to it. */
type Chain = { readonly redirects: number } | { readonly loop: readonly number[] };

/**
 * Rules whose redirects come back to themselves, or pass more than five times through this site, which browsers and search
 * engines give up on. Rules with placeholders are tried with one path.
 * @param has whether the deployment has a file
 */
function findRuleChains(rules: readonly RedirectRule[], has: (path: string) => boolean): LineProblem[] {
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
