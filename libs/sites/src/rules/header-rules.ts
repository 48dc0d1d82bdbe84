import { matchPattern, parsePattern, quote, type PathPattern } from './path-pattern.js';
import { linesOf, ruleLimits, type LineProblem } from './rule-lines.js';

/** `_headers`: header fields of a site's files, in the syntax that Netlify and Cloudflare Pages share. */

/** A rule of `_headers`, as the index of a deployment stores it. */
export interface HeaderLines {
  readonly line: number;
  readonly path: string;
  /** Names in lower case, and values. */
  readonly fields: readonly (readonly [string, string])[];
}

export interface HeaderRule extends HeaderLines {
  readonly pattern: PathPattern;
}

/** Fields of which an answer has one: the last rule that sets it wins. Values of all others are joined as a list. */
const singleFields = new Set([
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-max-age',
  'cache-control',
  'content-disposition',
  'content-type',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'service-worker-allowed',
  'x-frame-options',
]);

const listFields = new Set([
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-expose-headers',
  'content-language',
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy-report-only',
  'cross-origin-opener-policy-report-only',
  'link',
  'permissions-policy',
  'x-robots-tag',
]);

/** Fields with `x-` that proxies, browsers or the edge itself give a meaning. */
const ownedFields =
  /^x-(?:accel|pets|forwarded|real-ip|request-id|sendfile|content-type-options|http-method|original|rewrite|amz|envoy|cache|powered-by|upgrade)(?:-|$)/;

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/** Parses a file `_headers`: a path in a line of its own, then indented lines `Name: value`. */
export function parseHeaders(text: string): { readonly rules: HeaderRule[]; readonly problems: LineProblem[] } {
  const rules: (HeaderRule & { readonly fields: (readonly [string, string])[] })[] = [];
  const problems: LineProblem[] = [];
  /** The rule whose lines follow; null below a path that was refused. */
  let current: (typeof rules)[number] | null | undefined;
  for (const { line, text: content } of linesOf(text, problems)) {
    const trimmed = content.trim();
    if (/^\s/.test(content)) {
      const field = current === undefined ? { problem: 'a header without a path above it' } : parseField(trimmed);
      if (field === undefined) continue;
      if ('problem' in field) problems.push({ line, problem: field.problem });
      else current?.fields.push(field);
      continue;
    }
    const pattern = parsePath(trimmed);
    current = 'problem' in pattern ? null : { line, path: trimmed, pattern, fields: [] };
    if ('problem' in pattern) problems.push({ line, problem: pattern.problem });
    if (current !== null) rules.push(current);
    if (rules.length <= ruleLimits.headerRules) continue;
    problems.push({ line, problem: `more than ${ruleLimits.headerRules} rules` });
    break;
  }
  for (const rule of rules) {
    const problem = problemOf(rule);
    if (problem !== undefined) problems.push({ line: rule.line, problem });
  }
  return { rules: rules.filter(({ fields }) => fields.length > 0), problems };
}

/** @throws Error when stored lines are no rule */
export function restoreHeaderRule(lines: HeaderLines): HeaderRule {
  const pattern = parsePattern(lines.path);
  if ('problem' in pattern)
    throw new Error(`the stored header rule of line ${lines.line} is invalid: ${pattern.problem}`);
  return { ...lines, pattern };
}

/** The rules for a path, in their order. @param decoded the path of a request */
export function rulesFor(rules: readonly HeaderRule[], decoded: string): readonly HeaderRule[] {
  return rules.filter(({ pattern }) => matchPattern(pattern, decoded) !== undefined);
}

/**
 * The fields of some rules together. Those beyond the limits of an answer are left out, and `fits` is false; an upload is refused
 * when that concerns one of its files.
 */
export function mergeHeaders(rules: readonly Pick<HeaderLines, 'fields'>[]): {
  readonly headers: Readonly<Record<string, string>>;
  readonly fits: boolean;
} {
  const headers: Record<string, string> = {};
  let [count, bytes, fits] = [0, 0, true];
  for (const { fields } of rules)
    for (const [name, value] of fields) {
      const before = headers[name];
      const merged = before === undefined || singleFields.has(name) ? value : `${before}, ${value}`;
      const newCount = count + (before === undefined ? 1 : 0);
      const newBytes = bytes + (before === undefined ? name.length : -before.length) + merged.length;
      if (newCount > ruleLimits.headers || newBytes > ruleLimits.headerBytes) fits = false;
      else [headers[name], count, bytes] = [merged, newCount, newBytes];
    }
  return { headers, fits };
}

function parsePath(path: string): PathPattern | { readonly problem: string } {
  if (/^https?:\/\//i.test(path)) return { problem: 'a rule for a host is not possible: begin with the path' };
  if (!path.startsWith('/')) return { problem: `${quote(path)} is neither a path nor an indented header` };
  return parsePattern(path);
}

/** @returns undefined for a field that the edge always sends with this value */
function parseField(text: string): readonly [string, string] | { readonly problem: string } | undefined {
  const colon = text.indexOf(':');
  const given = text.slice(0, Math.max(colon, 0)).trim();
  const name = given.toLowerCase();
  const value = text.slice(colon + 1).trim();
  if (text.startsWith('!')) return { problem: 'a header cannot be taken away: the edge adds none but its own' };
  if (colon === -1) return { problem: `${quote(text)} is no header: Name: value` };
  if (!TOKEN.test(given)) return { problem: `${quote(given)} is no name of a header` };
  if (!VALUE.test(value)) return { problem: `the value of ${given} has a character that a header cannot have` };
  if (value === '') return { problem: `the value of ${given} is missing` };
  if (name === 'x-content-type-options' && value.toLowerCase() === 'nosniff') return undefined;
  if (name === 'strict-transport-security')
    return { problem: `${given} is a setting of the project, because browsers keep it beyond the site` };
  const isAllowed =
    singleFields.has(name) || listFields.has(name) || (name.startsWith('x-') && !ownedFields.test(name));
  return isAllowed ? [name, value] : { problem: `${given} cannot be set by a site` };
}

/** The reason why the fields of one rule cannot be sent together. */
function problemOf({ fields }: HeaderLines): string | undefined {
  if (!mergeHeaders([{ fields }]).fits)
    return `more than ${ruleLimits.headers} headers, or more than ${ruleLimits.headerBytes} bytes of them`;
  const valueOf = (wanted: string) => fields.findLast(([name]) => name === wanted)?.[1];
  const origin = valueOf('access-control-allow-origin') ?? '*';
  const isCredentialed = valueOf('access-control-allow-credentials') !== undefined;
  return isCredentialed && origin === '*'
    ? 'Access-Control-Allow-Credentials needs an Access-Control-Allow-Origin with one origin'
    : undefined;
}
