import { hash } from 'node:crypto';

/**
 * The index of a deployment as bytes, in which one path is found without reading the rest. A thread that converts indexes
 * loads this file alone, so it imports no other source.
 *
 *     head       magic (8), number of files (4), zeros (4), SHA-256 of the content hash's text (32)
 *     directory  of each page: SHA-256 of its first path (32), SHA-256 of its bytes (32)
 *     check      SHA-256 of all that is before it (32)
 *     pages      200 entries each: SHA-256 of the path (32), SHA-256 of the content (32), bytes of the content (8)
 *
 * Entries are in the order of their paths' hashes and of equal length: whatever paths a customer chooses, a lookup costs one
 * page. The paths themselves are not in it. Every byte that is served from is covered by a hash that was read before it.
 */

export interface SiteEntry {
  /** Hexadecimal, of the content. */
  readonly sha256: string;
  readonly bytes: number;
}

/** A deployment's files by path: relative, with `/`, in Unicode form NFC. */
export type SiteIndex = ReadonlyMap<string, SiteEntry>;

/** The directory, and with it the pages that are among the bytes that were read. */
export interface SiteIndexHead {
  readonly contentHash: string;
  readonly files: number;
  /** The beginning of the index, or all of it. */
  readonly bytes: Buffer;
}

/** What is read first. It holds the directory of 50 000 files, and all entries of a site of up to 200. */
export const INDEX_HEAD_BYTES = 16 * 1024;

const MAGIC = Buffer.from('petsidx2', 'latin1');
const HASH = 32;
const FIXED = MAGIC.length + 4 + 4 + HASH;
const DIRECTORY_ENTRY = 2 * HASH;
const ENTRY = 2 * HASH + 8;
const PAGE_ENTRIES = 200;

export function encodeSiteIndex(contentHash: string, index: SiteIndex): Buffer<ArrayBuffer> {
  const files = [...index]
    .map(([path, entry]) => ({ path, entry, pathHash: hashOf(path) }))
    .sort((a, b) => a.pathHash.compare(b.pathHash));
  const bytes = Buffer.alloc(pageStart(files.length, pagesOf(files.length)));
  MAGIC.copy(bytes);
  bytes.writeUInt32BE(files.length, MAGIC.length);
  hashOf(contentHash).copy(bytes, FIXED - HASH);
  const firstEntry = pageStart(files.length, 0);
  for (const [at, { entry, pathHash }] of files.entries()) {
    const start = firstEntry + at * ENTRY;
    pathHash.copy(bytes, start);
    bytes.write(entry.sha256, start + HASH, 'hex');
    bytes.writeBigUInt64BE(BigInt(entry.bytes), start + 2 * HASH);
  }
  for (let page = 0; page < pagesOf(files.length); page++) {
    const { start, end } = pageSpan(files.length, page);
    bytes.copy(bytes, FIXED + page * DIRECTORY_ENTRY, start, start + HASH);
    hashOf(bytes.subarray(start, end)).copy(bytes, FIXED + page * DIRECTORY_ENTRY + HASH);
  }
  hashOf(bytes.subarray(0, firstEntry - HASH)).copy(bytes, firstEntry - HASH);
  return bytes;
}

/**
 * @param bytes the first `INDEX_HEAD_BYTES` of a stored index, or all where it has fewer
 * @param storedBytes how long it is as stored
 * @throws Error unless it is the whole and unchanged index of this very deployment
 */
export function parseIndexHead(contentHash: string, bytes: Buffer, storedBytes: number): SiteIndexHead {
  const isReadable =
    bytes.length >= FIXED + HASH &&
    bytes.subarray(0, MAGIC.length).equals(MAGIC) &&
    bytes.subarray(FIXED - HASH, FIXED).equals(hashOf(contentHash));
  if (!isReadable) throw new Error(`the index of deployment ${contentHash} is corrupt: its head is not its own`);
  const files = bytes.readUInt32BE(MAGIC.length);
  const firstEntry = pageStart(files, 0);
  const isHeadWhole =
    firstEntry <= bytes.length &&
    storedBytes === pageStart(files, pagesOf(files)) &&
    hashOf(bytes.subarray(0, firstEntry - HASH)).equals(bytes.subarray(firstEntry - HASH, firstEntry));
  if (!isHeadWhole) throw new Error(`the index of deployment ${contentHash} is corrupt: its directory is damaged`);
  const head = { contentHash, files, bytes };
  for (let page = 0; page < pagesOf(files); page++) {
    const read = pageInHead(head, page);
    if (read !== undefined) checkPage(head, page, read);
  }
  return head;
}

/** What entries are ordered by and found with. */
export function hashPath(path: string): Buffer {
  return hashOf(path);
}

/** Which page has a path if any has; undefined when none can. */
export function findPage({ bytes, files }: SiteIndexHead, pathHash: Buffer): number | undefined {
  const after = firstAfter(pagesOf(files), (page) => {
    const start = FIXED + page * DIRECTORY_ENTRY;
    return bytes.compare(pathHash, 0, HASH, start, start + HASH) > 0;
  });
  return after === 0 ? undefined : after - 1;
}

/** Where a page is: from `start` up to `end`, which is not part of it. */
export function pageSpan(files: number, page: number): { readonly start: number; readonly end: number } {
  return { start: pageStart(files, page), end: pageStart(files, page + 1) };
}

/** A page that was read, and checked, with the head; undefined where it was not. */
export function pageInHead({ files, bytes }: SiteIndexHead, page: number): Buffer | undefined {
  const { start, end } = pageSpan(files, page);
  return end > bytes.length ? undefined : bytes.subarray(start, end);
}

/** @throws Error when the bytes are not those of the page */
export function checkPage({ contentHash, bytes }: SiteIndexHead, page: number, read: Buffer): Buffer {
  const start = FIXED + page * DIRECTORY_ENTRY + HASH;
  if (!hashOf(read).equals(bytes.subarray(start, start + HASH)))
    throw new Error(`the index of deployment ${contentHash} is corrupt: page ${page} is damaged`);
  return read;
}

export function findInPage(page: Buffer, pathHash: Buffer): SiteEntry | undefined {
  const after = firstAfter(page.length / ENTRY, (at) => {
    return page.compare(pathHash, 0, HASH, at * ENTRY, at * ENTRY + HASH) > 0;
  });
  const start = (after - 1) * ENTRY;
  if (start < 0 || page.compare(pathHash, 0, HASH, start, start + HASH) !== 0) return undefined;
  return entryAt(page, start);
}

function entryAt(page: Buffer, start: number): SiteEntry {
  return {
    sha256: page.toString('hex', start + HASH, start + 2 * HASH),
    bytes: Number(page.readBigUInt64BE(start + 2 * HASH)),
  };
}

/** All entries of a page, without their paths. */
export function entriesOfPage(page: Buffer): SiteEntry[] {
  return Array.from({ length: page.length / ENTRY }, (_, at) => entryAt(page, at * ENTRY));
}

/** The form of the releases before this one: JSON, read whole. */
export function encodeOldSiteIndex(index: SiteIndex): string {
  const files = [...index].map(([path, { sha256, bytes }]) => [path, sha256, bytes] as const);
  return JSON.stringify({ version: 1, files });
}

export function pagesOf(files: number): number {
  return Math.ceil(files / PAGE_ENTRIES);
}

function pageStart(files: number, page: number): number {
  const directoryEnd = FIXED + pagesOf(files) * DIRECTORY_ENTRY + HASH;
  return directoryEnd + Math.min(page * PAGE_ENTRIES, files) * ENTRY;
}

/** The first one that is after what is looked for, by halving: they are in order. */
function firstAfter(count: number, isAfter: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function hashOf(value: string | Buffer): Buffer {
  return hash('sha256', value, 'buffer');
}
