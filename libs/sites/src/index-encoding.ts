import { hash } from 'node:crypto';

/**
 * The index of a deployment in a binary format, in which one path is found without reading the rest.
 *
 *     head       magic (8), number of files (4), bytes of the rules (4), SHA-256 of the content hash's text (32)
 *     directory  of each page: SHA-256 of its first path (32), SHA-256 of its bytes (32); of the rules, if there are
 *                any: SHA-256 of their bytes (32)
 *     check      SHA-256 of all bytes before it (32)
 *     pages      200 entries each: SHA-256 of the path (32), SHA-256 of the content (32), freshness (1), whether it is
 *                a secret (1), bytes of the content (6)
 *     rules      `site-rules.ts`
 *
 * Entries are sorted by the hash of their path and have equal length, so that a lookup costs one page for any paths that a
 * customer chooses. The paths themselves are not stored. A hash that was read earlier covers every byte that is used.
 */

/** For how long browsers may use a file without asking. */
export type Freshness = 'revalidated' | 'day' | 'year';

export interface SiteEntry {
  /** Hexadecimal, of the content. */
  readonly sha256: string;
  readonly bytes: number;
  readonly freshness: Freshness;
  /** Whether its owner allowed a content that is refused otherwise. Another deployment has to allow it again. */
  readonly isSecret?: boolean;
}

/** The files of a deployment by path: relative, with `/`, in NFC. */
export type SiteIndex = ReadonlyMap<string, SiteEntry>;

/** The directory, and the pages that were read with it. */
export interface SiteIndexHead {
  readonly contentHash: string;
  readonly files: number;
  /** The size of the rules; 0 without. */
  readonly rulesBytes: number;
  /** The beginning of the index, or all of it. */
  readonly bytes: Buffer;
}

/** The size of the first read: the directory of 50 000 files, or all entries of a site of up to 200. */
export const INDEX_HEAD_BYTES = 16 * 1024;

const MAGIC = Buffer.from('petsidx1', 'latin1');
/** Freshnesses in the order of their codes. */
const freshnesses: readonly Freshness[] = ['revalidated', 'day', 'year'];
const HASH = 32;
const FIXED = MAGIC.length + 4 + 4 + HASH;
const DIRECTORY_ENTRY = 2 * HASH;
const ENTRY = 2 * HASH + 8;
const PAGE_ENTRIES = 200;
const NO_RULES = Buffer.alloc(0);

/** @param rules see `encodeRules`; empty without */
export function encodeSiteIndex(contentHash: string, index: SiteIndex, rules: Buffer = NO_RULES): Buffer<ArrayBuffer> {
  const files = [...index]
    .map(([path, entry]) => ({ path, entry, pathHash: hashOf(path) }))
    .sort((a, b) => a.pathHash.compare(b.pathHash));
  const size = { files: files.length, rulesBytes: rules.length };
  const pages = pagesOf(size.files);
  const firstEntry = pageStart(size, 0);
  const bytes = Buffer.alloc(pageStart(size, pages) + rules.length);
  MAGIC.copy(bytes);
  bytes.writeUInt32BE(size.files, MAGIC.length);
  bytes.writeUInt32BE(size.rulesBytes, MAGIC.length + 4);
  hashOf(contentHash).copy(bytes, FIXED - HASH);
  for (const [at, { entry, pathHash }] of files.entries()) {
    const start = firstEntry + at * ENTRY;
    pathHash.copy(bytes, start);
    bytes.write(entry.sha256, start + HASH, 'hex');
    bytes.writeBigUInt64BE(BigInt(entry.bytes), start + 2 * HASH);
    bytes.writeUInt8(freshnesses.indexOf(entry.freshness), start + 2 * HASH);
    bytes.writeUInt8(entry.isSecret === true ? 1 : 0, start + 2 * HASH + 1);
  }
  for (let page = 0; page < pages; page++) {
    const { start, end } = pageSpan(size, page);
    bytes.copy(bytes, FIXED + page * DIRECTORY_ENTRY, start, start + HASH);
    hashOf(bytes.subarray(start, end)).copy(bytes, FIXED + page * DIRECTORY_ENTRY + HASH);
  }
  if (rules.length > 0) hashOf(rules).copy(bytes, FIXED + pages * DIRECTORY_ENTRY);
  rules.copy(bytes, pageStart(size, pages));
  hashOf(bytes.subarray(0, firstEntry - HASH)).copy(bytes, firstEntry - HASH);
  return bytes;
}

/**
 * @param bytes the first `INDEX_HEAD_BYTES` of a stored index, or all if it has fewer
 * @param storedBytes the size of the stored index
 * @throws Error unless it is the complete, unchanged index of this deployment
 */
export function parseIndexHead(contentHash: string, bytes: Buffer, storedBytes: number): SiteIndexHead {
  const isReadable =
    bytes.length >= FIXED + HASH &&
    bytes.subarray(0, MAGIC.length).equals(MAGIC) &&
    bytes.subarray(FIXED - HASH, FIXED).equals(hashOf(contentHash));
  if (!isReadable)
    throw new Error(
      `the index of deployment ${contentHash} is corrupt: its head is invalid or belongs to another deployment`,
    );
  const files = bytes.readUInt32BE(MAGIC.length);
  const rulesBytes = bytes.readUInt32BE(MAGIC.length + 4);
  const head = { contentHash, files, rulesBytes, bytes };
  const firstEntry = pageStart(head, 0);
  const isDirectoryIntact =
    firstEntry <= bytes.length &&
    storedBytes === rulesSpan(head).end &&
    hashOf(bytes.subarray(0, firstEntry - HASH)).equals(bytes.subarray(firstEntry - HASH, firstEntry));
  if (!isDirectoryIntact)
    throw new Error(`the index of deployment ${contentHash} is corrupt: its directory is damaged`);
  for (let page = 0; page < pagesOf(files); page++) {
    const read = pageInHead(head, page);
    if (read !== undefined) checkPage(head, page, read);
  }
  return head;
}

/** The sort key of the entries. */
export function hashPath(path: string): Buffer {
  return hashOf(path);
}

/** The only page that can contain a path; undefined when no page can. */
export function findPage({ bytes, files }: SiteIndexHead, pathHash: Buffer): number | undefined {
  const after = lowerBound(pagesOf(files), (page) => {
    const start = FIXED + page * DIRECTORY_ENTRY;
    return bytes.compare(pathHash, 0, HASH, start, start + HASH) > 0;
  });
  return after === 0 ? undefined : after - 1;
}

/** The part of an index that has a page or the rules: `end` is exclusive. */
export interface IndexSpan {
  readonly start: number;
  readonly end: number;
}

type IndexSize = Pick<SiteIndexHead, 'files' | 'rulesBytes'>;

export function pageSpan(size: IndexSize, page: number): IndexSpan {
  return { start: pageStart(size, page), end: pageStart(size, page + 1) };
}

export function rulesSpan(size: IndexSize): IndexSpan {
  const start = pageStart(size, pagesOf(size.files));
  return { start, end: start + size.rulesBytes };
}

/** A page that was read and checked together with the head; undefined for any other. */
export function pageInHead(head: SiteIndexHead, page: number): Buffer | undefined {
  return spanInHead(head, pageSpan(head, page));
}

/** A part that was read together with the head; undefined for any other. */
export function spanInHead({ bytes }: SiteIndexHead, { start, end }: IndexSpan): Buffer | undefined {
  return end > bytes.length ? undefined : bytes.subarray(start, end);
}

/** @throws Error when the bytes do not match the hash of the rules */
export function checkRules({ contentHash, bytes, files }: SiteIndexHead, read: Buffer): Buffer {
  const start = FIXED + pagesOf(files) * DIRECTORY_ENTRY;
  if (!hashOf(read).equals(bytes.subarray(start, start + HASH)))
    throw new Error(`the index of deployment ${contentHash} is corrupt: its rules are damaged`);
  return read;
}

/** @throws Error when the bytes do not match the page's hash */
export function checkPage({ contentHash, bytes }: SiteIndexHead, page: number, read: Buffer): Buffer {
  const start = FIXED + page * DIRECTORY_ENTRY + HASH;
  if (!hashOf(read).equals(bytes.subarray(start, start + HASH)))
    throw new Error(`the index of deployment ${contentHash} is corrupt: page ${page} is damaged`);
  return read;
}

export function findInPage(page: Buffer, pathHash: Buffer): SiteEntry | undefined {
  const after = lowerBound(page.length / ENTRY, (at) => {
    return page.compare(pathHash, 0, HASH, at * ENTRY, at * ENTRY + HASH) > 0;
  });
  const start = (after - 1) * ENTRY;
  if (start < 0 || page.compare(pathHash, 0, HASH, start, start + HASH) !== 0) return undefined;
  return entryAt(page, start);
}

/** All entries of a page, without their paths. */
export function entriesOf(page: Buffer): SiteEntry[] {
  return Array.from({ length: page.length / ENTRY }, (_, at) => entryAt(page, at * ENTRY));
}

function entryAt(page: Buffer, start: number): SiteEntry {
  return {
    sha256: page.toString('hex', start + HASH, start + 2 * HASH),
    bytes: page.readUIntBE(start + 2 * HASH + 2, 6),
    freshness: freshnesses[page.readUInt8(start + 2 * HASH)] ?? 'revalidated',
    ...(page.readUInt8(start + 2 * HASH + 1) === 1 && { isSecret: true }),
  };
}

export function pagesOf(files: number): number {
  return Math.ceil(files / PAGE_ENTRIES);
}

function pageStart({ files, rulesBytes }: IndexSize, page: number): number {
  const directoryEnd = FIXED + pagesOf(files) * DIRECTORY_ENTRY + (rulesBytes > 0 ? HASH : 0) + HASH;
  return directoryEnd + Math.min(page * PAGE_ENTRIES, files) * ENTRY;
}

/** Binary search: the first index for which `isAfter` is true. */
function lowerBound(count: number, isAfter: (at: number) => boolean): number {
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
