import type { TrailingSlash } from '@pets/contracts';
import type { RequestedPath } from './requested-path.js';

/**
 * The one address of each page, as static hosts serve it: the page of a folder is at `/docs/`, `about.html` at `/about` and
 * at its own name. Other forms redirect. `docs/decisions/0112-addresses-and-rules.md` compares hosts.
 */

export type PageChoice =
  | { readonly kind: 'file'; readonly path: string }
  /** The page has another address: a path as a request sends it, without the query. */
  | { readonly kind: 'moved'; readonly to: string };

/** The files of a deployment that a request may concern, and the name that they have in common. */
interface Candidates {
  /** The path without its slashes: `docs`; empty for the root. */
  readonly name: string;
  readonly hasSlash: boolean;
  readonly file: string;
  readonly html: string;
  readonly index: string;
  /** For `/docs/index` and `/docs/index.html`: the same of `/docs/`, which they redirect to. */
  readonly folder: Candidates | undefined;
}

/**
 * The paths that `choosePage` asks for.
 * @returns none for a path with an empty segment, which names no file
 */
export function pathsOfPage({ decoded }: RequestedPath): readonly string[] {
  const candidates = candidatesOf(decoded);
  if (candidates === undefined) return [];
  const { folder } = candidates;
  return [...listPaths(candidates), ...(folder === undefined ? [] : listPaths(folder))];
}

/**
 * Chooses the file that a path shows, or the address to which it redirects. A redirect leads to a page that exists, and never
 * to another redirect.
 * @param has whether the deployment has a file: asked for paths of `pathsOfPage` only
 * @returns undefined when no page has this address
 */
export function choosePage(
  { sent, decoded }: RequestedPath,
  policy: TrailingSlash,
  has: (path: string) => boolean,
): PageChoice | undefined {
  const candidates = candidatesOf(decoded);
  if (candidates === undefined) return undefined;
  const found = findPage(candidates, has);
  if (found === undefined) return undefined;
  if (found === candidates.folder?.index)
    return {
      kind: 'moved',
      to: withSlash(
        sent.slice(0, sent.lastIndexOf('/', sent.length - 2)),
        hasSlashAt(candidates.folder, found, policy, has),
      ),
    };
  if (found === candidates.file) return { kind: 'file', path: found };
  const wantsSlash = hasSlashAt(candidates, found, policy, has);
  return candidates.hasSlash === wantsSlash
    ? { kind: 'file', path: found }
    : { kind: 'moved', to: withSlash(candidates.hasSlash ? sent.slice(0, -1) : sent, wantsSlash) };
}

/** The file that a path means, whatever the address of its page is: for rewrites, which show a file at another address. */
export function fileAt({ decoded }: RequestedPath, has: (path: string) => boolean): string | undefined {
  const candidates = candidatesOf(decoded);
  return candidates && findPage(candidates, has);
}

function candidatesOf(decoded: string): Candidates | undefined {
  const hasSlash = decoded.endsWith('/');
  const name = decoded.slice(1, hasSlash && decoded.length > 1 ? -1 : undefined);
  if (decoded !== '/' && name.split('/').includes('')) return undefined;
  const parent = /^(?:(.*)\/)?index(?:\.html)?$/.exec(name);
  return {
    ...formsOf(name),
    hasSlash,
    folder: parent === null ? undefined : { ...formsOf(parent[1] ?? ''), hasSlash: true, folder: undefined },
  };
}

function formsOf(name: string): Pick<Candidates, 'name' | 'file' | 'html' | 'index'> {
  return { name, file: name, html: `${name}.html`, index: name === '' ? 'index.html' : `${name}/index.html` };
}

function listPaths({ name, file, html, index }: Candidates): readonly string[] {
  return name === '' ? [index] : [file, html, index];
}

/** Behind a slash the folder's own page comes first, and `about.html` only where no file is called `about`. */
function findPage(
  { name, hasSlash, file, html, index }: Candidates,
  has: (path: string) => boolean,
): string | undefined {
  if (name === '') return has(index) ? index : undefined;
  if (!hasSlash) return [file, html, index].find(has);
  if (has(index)) return index;
  return has(html) && !has(file) ? html : undefined;
}

/**
 * Whether the address of a page ends in a slash. Where the policy would give two pages one address, each keeps the one that
 * it has by `auto`.
 */
function hasSlashAt(
  { name, file, html, index }: Candidates,
  page: string,
  policy: TrailingSlash,
  has: (path: string) => boolean,
): boolean {
  if (name === '') return true;
  const isFolder = page === index;
  if (policy === 'auto') return isFolder;
  const isContested = isFolder ? has(file) || has(html) : has(index);
  return isContested ? isFolder : policy === 'always';
}

function withSlash(path: string, hasSlash: boolean): string {
  return hasSlash ? `${path}/` : path;
}
