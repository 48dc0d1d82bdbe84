import type { TrailingSlash } from '@pets/contracts';
import type { SiteIndex } from './index-encoding.js';
import { choosePage, fileAt, pathsOfPage } from './page-address.js';
import { locationOf, parseRequestedPath, type RequestedPath } from './requested-path.js';
import { isRedirect, type RedirectLine, type RuleMatch } from './rules/redirect-rules.js';
import { NOT_FOUND_PAGE, type SiteRules } from './rules/site-rules.js';

/** A deployment whose index was opened. */
export interface Site {
  /** Undefined for a site that has none. */
  readonly rules: SiteRules | undefined;
  /** @throws Error when the storage does not answer */
  readonly find: (paths: readonly string[]) => Promise<SiteIndex>;
}

/** The file that a request for a site gets, or a redirect. */
export type FileChoice =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly status: 200 | 404;
      /** The rule that shows it at this address, among any number of others. */
      readonly rule: RedirectLine | undefined;
    }
  /** `to`: a path with a query at the host of the request, or a URL. Without a rule it is the address of the page. */
  | {
      readonly kind: 'redirect';
      readonly status: number;
      readonly to: string;
      readonly rule: RedirectLine | undefined;
    };

/** The absolute Location of a redirect, for a request of this host. */
export function locationOfChoice({ to }: { readonly to: string }, host: string, publicHttpsPort: number): string {
  return to.startsWith('/') ? locationOf(host, publicHttpsPort, to) : to;
}

/**
 * Chooses the file for a path: a rule that goes before files, a file at its address or the redirect to it, any other rule, and
 * at last the nearest `404.html`.
 * @returns a file that need not exist where it is a `404.html`
 * @throws Error when the storage does not answer
 */
export async function chooseFile(
  site: Site,
  requested: RequestedPath,
  trailingSlash: TrailingSlash,
): Promise<FileChoice> {
  const { rules, find } = site;
  const { decoded, query } = requested;
  const forced = rules?.redirects.findForced(decoded, query);
  if (forced !== undefined) return applyRule(site, forced, requested);
  const files = await find(pathsOfPage(requested));
  const page = choosePage(requested, trailingSlash, (path) => files.has(path));
  if (page?.kind === 'file') return { kind: 'file', path: page.path, status: 200, rule: undefined };
  if (page?.kind === 'moved') return { kind: 'redirect', status: 308, to: page.to + query, rule: undefined };
  const rule = rules?.redirects.findOther(decoded, query);
  return rule === undefined ? notFound(site, requested) : applyRule(site, rule, requested);
}

async function applyRule(site: Site, { rule, filled }: RuleMatch, requested: RequestedPath): Promise<FileChoice> {
  const { status, target } = rule;
  if (isRedirect(status)) return { kind: 'redirect', status, to: target.origin + filled, rule };
  // Looked up once: what a rewrite shows is a file, and no other rule applies.
  const shown = parseRequestedPath(filled);
  if (shown === undefined) return notFound(site, requested);
  const files = await site.find(pathsOfPage(shown));
  const path = fileAt(shown, (each) => files.has(each));
  return path === undefined ? notFound(site, requested) : { kind: 'file', path, status, rule };
}

function notFound({ rules }: Site, { decoded }: RequestedPath): FileChoice {
  return { kind: 'file', path: rules?.notFoundPage(decoded) ?? NOT_FOUND_PAGE, status: 404, rule: undefined };
}
