import { convertSiteIndex } from './site-index-conversion.js';
import {
  checkPage,
  encodeJsonSiteIndex,
  encodeSiteIndex,
  entriesOfPage,
  findInPage,
  findPage,
  hashPath,
  INDEX_HEAD_BYTES,
  pageInHead,
  pagesOf,
  pageSpan,
  parseIndexHead,
  type SiteEntry,
  type SiteIndex,
  type SiteIndexHead,
} from './site-index-encoding.js';
import { readWhole, type FileStorage } from './file-storage.js';

/** The layout of deployments in the storage: each content once, and an index of paths for each deployment. */

const hexadecimal = /^[0-9a-f]+$/;

/** The key of a content, which all deployments with it share. */
export function contentKey(sha256: string): string {
  return `contents/${sha256.slice(0, 2)}/${sha256}`;
}

/** The keys of a deployment's index: in the current format, in the previous binary one, and as JSON. */
export function indexKeys(contentHash: string): Readonly<Record<'current' | 'previous' | 'json', string>> {
  if (!hexadecimal.test(contentHash)) throw new Error('a content hash is hexadecimal');
  const key = `sites/${contentHash}`;
  return { current: `${key}.idx3`, previous: `${key}.idx`, json: `${key}.json` };
}

/** An index as it is stored. */
export interface StoredIndex {
  readonly key: string;
  readonly content: string | Buffer;
}

/** The index of a deployment as it is written: in the current format, and as JSON, which edges of earlier releases convert. */
export function encodeSiteIndexes(contentHash: string, index: SiteIndex): StoredIndex[] {
  const keys = indexKeys(contentHash);
  return [
    { key: keys.json, content: encodeJsonSiteIndex(index) },
    { key: keys.current, content: encodeSiteIndex(contentHash, index) },
  ];
}

/** Write the index last: a deployment exists when its index does. */
export async function writeSiteIndex(storage: FileStorage, contentHash: string, index: SiteIndex): Promise<void> {
  for (const { key, content } of encodeSiteIndexes(contentHash, index)) await storage.write(key, content);
}

/** The files and indexes of a stored deployment. */
export interface StoredSite {
  readonly entries: readonly SiteEntry[];
  readonly indexes: readonly { readonly key: string; readonly bytes: number }[];
}

/**
 * Reads the complete index of a deployment, and writes the current format if there is only JSON.
 * @returns undefined when there is none
 * @throws Error when it is damaged
 */
export async function readStoredSite(storage: FileStorage, contentHash: string): Promise<StoredSite | undefined> {
  const found = await findIndexes(storage, contentHash);
  if (found.length === 0) return undefined;
  const head = await readSiteIndexHead(storage, contentHash);
  const { current } = indexKeys(contentHash);
  // A converted index is completely in memory.
  const isConverted = found.every(({ key }) => key !== head.key);
  if (isConverted) await storage.write(current, head.bytes);
  const entries: SiteEntry[] = [];
  for (let page = 0; page < pagesOf(head.files); page++)
    entries.push(...entriesOfPage(pageInHead(head, page) ?? (await readSiteIndexPage(storage, head, page))));
  return { entries, indexes: isConverted ? [{ key: current, bytes: head.bytes.length }, ...found] : found };
}

/**
 * The start of a deployment's index; all of it for a small site and for one with only JSON.
 * @throws Error when there is none, or it is damaged
 */
export async function readSiteIndexHead(storage: FileStorage, contentHash: string): Promise<SiteIndexHead> {
  const { current, previous, json } = indexKeys(contentHash);
  for (const key of [current, previous]) {
    const storedBytes = await storage.find(key);
    if (storedBytes === undefined) continue;
    const wanted = Math.min(storedBytes, INDEX_HEAD_BYTES);
    if (wanted === 0) throw new Error(`the index of deployment ${contentHash} is corrupt: it is empty`);
    const stream = await storage.read(key, { first: 0, last: wanted - 1 });
    return parseIndexHead({ contentHash, key }, await readWhole(stream, wanted), storedBytes);
  }
  return convertJson(storage, contentHash, json);
}

/** A page that is not in the head. @throws Error when it is damaged */
export async function readSiteIndexPage(storage: FileStorage, head: SiteIndexHead, page: number): Promise<Buffer> {
  const { start, end } = pageSpan(head.files, page);
  const stream = await storage.read(head.key, { first: start, last: end - 1 });
  return checkPage(head, page, await readWhole(stream, end - start));
}

/** The files of a stored deployment among some paths. @throws Error when its index is missing or damaged */
export async function findInStoredSite(
  storage: FileStorage,
  contentHash: string,
  paths: Iterable<string>,
): Promise<SiteIndex> {
  const head = await readSiteIndexHead(storage, contentHash);
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

async function findIndexes(storage: FileStorage, contentHash: string): Promise<StoredSite['indexes']> {
  const found: StoredSite['indexes'][number][] = [];
  for (const key of Object.values(indexKeys(contentHash))) {
    const bytes = await storage.find(key);
    if (bytes !== undefined) found.push({ key, bytes });
  }
  return found;
}

async function convertJson(storage: FileStorage, contentHash: string, key: string): Promise<SiteIndexHead> {
  const storedBytes = await storage.find(key);
  if (storedBytes === undefined) throw new Error(`there is no deployment ${contentHash} in the storage`);
  const read = async () => readWhole(await storage.read(key), storedBytes);
  const bytes = await convertSiteIndex({ contentHash, bytes: storedBytes, read });
  return parseIndexHead({ contentHash, key: indexKeys(contentHash).current }, bytes, bytes.length);
}
