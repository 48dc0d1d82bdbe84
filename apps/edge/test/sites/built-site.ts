import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Crawler } from './crawler.js';
import { referencesOfPage } from './references.js';

/** Files of a site by path, in NFC. */
export type SiteFiles = ReadonlyMap<string, Buffer>;

export const BUILT_SITES = join(import.meta.dirname, '../../../../tools/generated-sites/built');

export async function readArchive(archive: string): Promise<SiteFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-built-'));
  try {
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const files = paths
      .toSorted()
      .map(async (path) => [relative(folder, path).normalize('NFC'), await readFile(path)] as const);
    return new Map(await Promise.all(files));
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function addressOf(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Pages that are shown for other addresses than their own. */
const fallbacks = /^(?:200|404)\.html$/;

/** A page of a site. */
export interface SitePage {
  readonly path: string;
  /** Addresses with slash and without, and of its file. */
  readonly addresses: readonly string[];
  /** Addresses at which it is shown; the others lead there. */
  readonly shownAt: readonly string[];
}

export function pagesOf(files: SiteFiles): readonly SitePage[] {
  const paths = [...files.keys()].filter((path) => path.endsWith('.html') && !fallbacks.test(path));
  return paths.map((path) => {
    const address = addressOf(path);
    const folder = /^(.*)\/index\.html$/.exec(address)?.[1];
    const name = folder ?? address.slice(0, -'.html'.length);
    const addresses = [...(name === '' ? [] : [name]), `${name}/`, address];
    return { path, addresses, shownAt: folder === undefined ? [name, address] : [`${name}/`] };
  });
}

/** The root and every folder, with their slash. */
function foldersOf(files: SiteFiles): readonly string[] {
  const folders = [...files.keys()].flatMap((path) => {
    const names = path.split('/').slice(0, -1);
    return names.map((_, at) => `${names.slice(0, at + 1).join('/')}/`);
  });
  return ['', ...new Set(folders)];
}

/** Addresses of all pages and of the sitemap, and unknown ones below each folder. */
export function addressesOf(files: SiteFiles): readonly string[] {
  const sitemap = files.has('sitemap.xml') ? ['/sitemap.xml'] : [];
  return [...pagesOf(files).flatMap(({ addresses }) => addresses), ...sitemap, ...unknownAddresses(files)];
}

/** Addresses below each folder that no file has. */
export function unknownAddresses(files: SiteFiles): readonly string[] {
  return foldersOf(files).flatMap((folder) =>
    ['nowhere', 'nowhere/', 'nowhere/deeper'].map((name) => `${addressOf(folder)}${name}`),
  );
}

/** The paths that each page refers to. */
export function referencesOfPages(files: SiteFiles): Readonly<Record<string, readonly string[]>> {
  const pages = [...files].filter(([path]) => path.endsWith('.html'));
  return Object.fromEntries(
    pages.map(([path, content]) => {
      const references = referencesOfPage(content.toString(), new URL(addressOf(path), 'https://site.test'));
      return [path, [...new Set(references.map(({ url }) => url.pathname))].toSorted()];
    }),
  );
}

/** Visits addresses as they are answered. @returns what the pages there refer to and is broken */
export async function findBrokenReferences(crawler: Crawler, addresses: readonly string[]): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const address of addresses) broken.push(...(await crawler.findBroken(await crawler.visit(address))));
  return [...new Set(broken)].toSorted();
}
