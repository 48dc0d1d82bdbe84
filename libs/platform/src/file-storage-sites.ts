import { convertSiteIndex } from './site-index-conversion.js';
import {
  checkPage,
  encodeJsonSiteIndex,
  encodeSiteIndex,
  entriesOfPage,
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

/** The keys of a deployment's index in both formats. */
export function indexKeys(contentHash: string): { readonly current: string; readonly old: string } {
  if (!hexadecimal.test(contentHash)) throw new Error('a content hash is hexadecimal');
  return { current: `sites/${contentHash}.idx`, old: `sites/${contentHash}.json` };
}

/** An index as it is stored. */
export interface StoredIndex {
  readonly key: string;
  readonly content: string | Buffer;
}

/** The index of a deployment in both formats. The old one is for edges of the previous release. */
export function encodeSiteIndexes(contentHash: string, index: SiteIndex): StoredIndex[] {
  const keys = indexKeys(contentHash);
  return [
    { key: keys.old, content: encodeJsonSiteIndex(index) },
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
 * Reads the complete index of a deployment, and writes the current format if there is only the old one.
 * @returns undefined when there is none
 * @throws Error when it is damaged
 */
export async function readStoredSite(storage: FileStorage, contentHash: string): Promise<StoredSite | undefined> {
  const keys = indexKeys(contentHash);
  const currentBytes = await storage.find(keys.current);
  const oldBytes = await storage.find(keys.old);
  if (currentBytes === undefined && oldBytes === undefined) return undefined;
  const head = await readSiteIndexHead(storage, contentHash);
  // A converted index is completely in memory.
  if (currentBytes === undefined) await storage.write(keys.current, head.bytes);
  const entries: SiteEntry[] = [];
  for (let page = 0; page < pagesOf(head.files); page++)
    entries.push(...entriesOfPage(pageInHead(head, page) ?? (await readSiteIndexPage(storage, head, page))));
  const indexes = [{ key: keys.current, bytes: currentBytes ?? head.bytes.length }];
  return { entries, indexes: oldBytes === undefined ? indexes : [...indexes, { key: keys.old, bytes: oldBytes }] };
}

/**
 * The start of a deployment's index; all of it for a small site and for one with only the old format.
 * @throws Error when there is none, or it is damaged
 */
export async function readSiteIndexHead(storage: FileStorage, contentHash: string): Promise<SiteIndexHead> {
  const keys = indexKeys(contentHash);
  const storedBytes = await storage.find(keys.current);
  if (storedBytes === undefined) return convertOld(storage, contentHash, keys.old);
  const wanted = Math.min(storedBytes, INDEX_HEAD_BYTES);
  if (wanted === 0) throw new Error(`the index of deployment ${contentHash} is corrupt: it is empty`);
  const stream = await storage.read(keys.current, { first: 0, last: wanted - 1 });
  return parseIndexHead(contentHash, await readWhole(stream, wanted), storedBytes);
}

/** A page that is not in the head. @throws Error when it is damaged */
export async function readSiteIndexPage(storage: FileStorage, head: SiteIndexHead, page: number): Promise<Buffer> {
  const { start, end } = pageSpan(head.files, page);
  const stream = await storage.read(indexKeys(head.contentHash).current, { first: start, last: end - 1 });
  return checkPage(head, page, await readWhole(stream, end - start));
}

async function convertOld(storage: FileStorage, contentHash: string, key: string): Promise<SiteIndexHead> {
  const storedBytes = await storage.find(key);
  if (storedBytes === undefined) throw new Error(`there is no deployment ${contentHash} in the storage`);
  const read = async () => readWhole(await storage.read(key), storedBytes);
  const bytes = await convertSiteIndex({ contentHash, bytes: storedBytes, read });
  return parseIndexHead(contentHash, bytes, bytes.length);
}
