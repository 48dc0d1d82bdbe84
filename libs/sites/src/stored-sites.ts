import {
  checkPage,
  checkRules,
  encodeSiteIndex,
  entriesOf,
  findInPage,
  findPage,
  hashPath,
  INDEX_HEAD_BYTES,
  pageInHead,
  pageSpan,
  pagesOf,
  parseIndexHead,
  rulesSpan,
  spanInHead,
  type IndexSpan,
  type SiteEntry,
  type SiteIndex,
  type SiteIndexHead,
} from './index-encoding.js';
import { readWhole, type FileStorage } from '@pets/platform';
import type { Site } from './choose-file.js';
import { SiteRules } from './rules/site-rules.js';

/** The layout of deployments in the storage: each content once, and an index of paths for each deployment. */

const hexadecimal = /^[0-9a-f]+$/;

/** The key of a content, which all deployments with it share. */
export function contentKey(sha256: string): string {
  return `contents/${sha256.slice(0, 2)}/${sha256}`;
}

/** The key of a deployment's index. */
export function indexKey(contentHash: string): string {
  if (!hexadecimal.test(contentHash)) throw new Error('a content hash is hexadecimal');
  return `sites/${contentHash}.idx`;
}

/** The key of a deployment's manifest. */
export function manifestKey(filesHash: string): string {
  if (!hexadecimal.test(filesHash)) throw new Error('a hash of files is hexadecimal');
  return `manifests/${filesHash}.gz`;
}

/** Write the index last: a deployment exists when its index does. */
export async function writeSiteIndex(
  storage: FileStorage,
  contentHash: string,
  index: SiteIndex,
  rules?: Buffer,
): Promise<void> {
  await storage.write(indexKey(contentHash), encodeSiteIndex(contentHash, index, rules));
}

/** The start of a deployment's index; all of it for a small site. @throws Error when there is none, or it is damaged */
export async function readSiteIndexHead(storage: FileStorage, contentHash: string): Promise<SiteIndexHead> {
  const key = indexKey(contentHash);
  const storedBytes = await storage.find(key);
  if (storedBytes === undefined) throw new Error(`there is no deployment ${contentHash} in the storage`);
  const wanted = Math.min(storedBytes, INDEX_HEAD_BYTES);
  if (wanted === 0) throw new Error(`the index of deployment ${contentHash} is corrupt: it is empty`);
  const stream = await storage.read(key, { first: 0, last: wanted - 1 });
  return parseIndexHead(contentHash, await readWhole(stream, wanted), storedBytes);
}

/** A page that is not in the head. @throws Error when it is damaged */
export async function readSiteIndexPage(storage: FileStorage, head: SiteIndexHead, page: number): Promise<Buffer> {
  return checkPage(head, page, await readSpan(storage, head, pageSpan(head, page)));
}

/** The rules of a deployment; undefined without. @throws Error when they are damaged */
export async function readSiteRules(storage: FileStorage, head: SiteIndexHead): Promise<Buffer | undefined> {
  if (head.rulesBytes === 0) return undefined;
  const span = rulesSpan(head);
  return checkRules(head, spanInHead(head, span) ?? (await readSpan(storage, head, span)));
}

async function readSpan(
  storage: FileStorage,
  { contentHash }: SiteIndexHead,
  { start, end }: IndexSpan,
): Promise<Buffer> {
  const stream = await storage.read(indexKey(contentHash), { first: start, last: end - 1 });
  return readWhole(stream, end - start);
}

/** Opens a stored deployment for a few requests: nothing is kept between them. @throws Error when its index is missing or damaged */
export async function openStoredSite(storage: FileStorage, contentHash: string): Promise<Site> {
  const head = await readSiteIndexHead(storage, contentHash);
  const rules = await readSiteRules(storage, head);
  return {
    rules: rules === undefined ? undefined : SiteRules.parse(rules),
    find: (paths) => findInIndex(storage, head, paths),
  };
}

/** The files of a stored deployment among some paths. @throws Error when its index is missing or damaged */
export async function findInStoredSite(
  storage: FileStorage,
  contentHash: string,
  paths: Iterable<string>,
): Promise<SiteIndex> {
  return findInIndex(storage, await readSiteIndexHead(storage, contentHash), paths);
}

/** The entries of a stored deployment, page by page. @throws Error when its index is missing or damaged */
export async function* readStoredEntries(
  storage: FileStorage,
  contentHash: string,
): AsyncGenerator<readonly SiteEntry[]> {
  const head = await readSiteIndexHead(storage, contentHash);
  const pages = pagesOf(head.files);
  if (pages === 0) return;
  // One read: of a bucket, each is a request.
  const start = pageSpan(head, 0).start;
  const all = await readSpan(storage, head, { start, end: pageSpan(head, pages - 1).end });
  for (let page = 0; page < pages; page++) {
    const span = pageSpan(head, page);
    yield entriesOf(checkPage(head, page, all.subarray(span.start - start, span.end - start)));
  }
}

async function findInIndex(storage: FileStorage, head: SiteIndexHead, paths: Iterable<string>): Promise<SiteIndex> {
  const byPage = Map.groupBy(
    Array.from(paths, (path) => ({ path, pathHash: hashPath(path) })),
    ({ pathHash }) => findPage(head, pathHash),
  );
  const found = new Map<string, SiteEntry>();
  for (const [page, wanted] of byPage) {
    if (page === undefined) continue;
    const read = pageInHead(head, page) ?? (await readSiteIndexPage(storage, head, page));
    for (const { path, pathHash } of wanted) {
      const entry = findInPage(read, pathHash);
      if (entry !== undefined) found.set(path, entry);
    }
  }
  return found;
}
