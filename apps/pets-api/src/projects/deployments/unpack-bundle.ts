import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bundleLimits, listedIgnoredFiles, type IgnoredFiles } from '@pets/contracts';
import {
  findAppleDoubles,
  findSecretContent,
  findSecretPath,
  isAddedFile,
  mayBeAppleDouble,
  SECRET_START_BYTES,
} from '@pets/domains';
import { RequestError } from '@pets/platform';
import { Parser, type ReadEntry } from 'tar';
import { requireProgress, type Progress } from '../../http/require-progress.js';
import { limitContents, openBundle } from './limit-bundle.js';
import {
  refuseArchive,
  refuseEntry,
  refusePath,
  refuseSecret,
  refuseSparse,
  sparseNameIn,
} from './refused-archives.js';
import type { SpaceReservation } from './upload-space.js';

export interface UploadLimits {
  readonly progress: Progress;
  /** The caller releases it after it has deleted the folder. */
  readonly space: Pick<SpaceReservation, 'addBytes'>;
  /** Files that are published although they would be refused or left out, by their paths. */
  readonly allowed?: ReadonlySet<string>;
}

export interface UnpackedFile {
  /** Relative, with `/`, no `.` or `..`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The path of its content. Files are numbered, so that no name in a bundle becomes a path on our disk. */
  readonly unpackedAt: string;
}

export interface UnpackedBundle {
  readonly files: readonly UnpackedFile[];
  /** Files of the archive that are left out. */
  readonly ignored: IgnoredFiles;
}

/** Folders and the attributes of macOS take no space on the disk, but time. */
const MAX_ENTRIES = 3 * bundleLimits.files;

/**
 * Unpacks a gzipped tar into a folder. Accepts only regular files at safe paths, and enforces the limits while streaming.
 * Leaves out files that operating systems add, and refuses secrets: `bundle-files.ts`. Nothing else is left out.
 * @throws RequestError `invalid_bundle`, `payload_too_large`, `timeout` or `unavailable`, `invalid_request` when the client has
 * left; the folder may then hold a part
 */
export async function unpackBundle(bundle: Readable, folder: string, upload: UploadLimits): Promise<UnpackedBundle> {
  const { allowed = new Set<string>() } = upload;
  const paths = new BundlePaths();
  // Only the whole archive shows whether they describe other files.
  const candidates = new BundlePaths();
  const ignored = new IgnoredList();
  const addContents = limitContents();
  const abort = new AbortController();

  const unpack = async (entry: ReadEntry, number: number): Promise<UnpackedFile | null> => {
    if (number >= MAX_ENTRIES)
      throw new RequestError('invalid_bundle', `The bundle contains more than ${MAX_ENTRIES} files and folders.`);
    if (entry.type === 'Directory') {
      entry.resume();
      return null;
    }
    if (entry.type !== 'File' && entry.type !== 'OldFile') throw refuseEntry(entry);
    const path = parseBundlePath(entry.path);
    const isAllowed = allowed.has(path);
    if (isAddedFile(path) && !isAllowed) {
      ignored.addIgnored(path);
      entry.resume();
      return null;
    }
    const reason = isAllowed ? null : findSecretPath(path);
    if (reason !== null) throw refuseSecret(path, reason);
    (mayBeAppleDouble(path) && !isAllowed ? candidates : paths).addPath(path);
    addContents(entry.size);
    upload.space.addBytes(entry.size);
    const unpackedAt = join(folder, String(number));
    const { start, ...written } = await writeFile(entry, unpackedAt, abort.signal);
    const content = isAllowed ? null : findSecretContent(start);
    if (content !== null) throw refuseSecret(path, content);
    return { path, unpackedAt, ...written };
  };

  const unpacked: Promise<UnpackedFile | null>[] = [];
  const take = (entry: ReadEntry, one: Promise<UnpackedFile | null>) => {
    unpacked.push(one);
    one.catch((error: unknown) => {
      entry.resume();
      abort.abort(error);
    });
  };
  let hasEnded = false;
  let sparse: string | null = null;
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      // The parser may emit entries after an error, when the folder is deleted already.
      if (abort.signal.aborted) return void entry.resume();
      take(entry, sparse === null ? unpack(entry, unpacked.length) : Promise.reject(refuseSparse(sparse)));
    },
  });
  try {
    const target = parser as unknown as NodeJS.WritableStream; // tar's own stream class, compatible with Node's
    parser.on('eof', () => (hasEnded = true));
    // The header of the next entry. The parser itself does not read these records.
    parser.on('meta', (header: string) => (sparse ??= sparseNameIn(header)));
    // Types that the parser does not know; it would drop them.
    parser.on('ignoredEntry', (entry: ReadEntry) => take(entry, Promise.reject(refuseEntry(entry))));
    const [countSent, gunzip, countUnpacked] = openBundle(() => hasEnded);
    const body = (chunks: AsyncIterable<Buffer>) => requireProgress(chunks, upload.progress);
    await pipeline(bundle, body, countSent, gunzip, countUnpacked, target, { signal: abort.signal });
    const files = (await Promise.all(unpacked)).filter((file) => file !== null);
    const appleDoubles = findAppleDoubles(files.map(({ path }) => path));
    const kept = files.filter(({ path }) => allowed.has(path) || !appleDoubles.has(path));
    for (const { path } of kept) if (candidates.has(path)) paths.addPath(path);
    paths.requireNoFolders();
    for (const { path } of files) if (!paths.has(path)) ignored.addIgnored(path);
    if (kept.length === 0) throw new RequestError('invalid_bundle', 'The bundle contains no files.');
    return { files: kept, ignored };
  } catch (error) {
    // Ends the file that is being written.
    abort.abort(error);
    await Promise.allSettled(unpacked);
    throw toRequestError(abort.signal.reason);
  }
}

/** Counts what is left out, and lists the first of it. */
class IgnoredList implements IgnoredFiles {
  count = 0;
  readonly paths: string[] = [];

  addIgnored(path: string): void {
    this.count += 1;
    if (this.paths.length < listedIgnoredFiles) this.paths.push(path);
  }
}

/** The same paths and contents have the same hash, independent of their order in the archive. */
export function hashContents(files: readonly Pick<UnpackedFile, 'path' | 'sha256'>[]): string {
  const hash = createHash('sha256');
  for (const { path, sha256 } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(`${path}\0${sha256}\n`);
  return hash.digest('hex');
}

async function writeFile(
  entry: ReadEntry,
  target: string,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string; start: Buffer }> {
  const hash = createHash('sha256');
  let bytes = 0;
  let start = Buffer.alloc(0);
  await pipeline(
    entry as unknown as NodeJS.ReadableStream,
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        bytes += chunk.length;
        if (start.length < SECRET_START_BYTES) start = Buffer.concat([start, chunk.subarray(0, SECRET_START_BYTES)]);
        done(null, chunk);
      },
    }),
    createWriteStream(target),
    { signal },
  );
  return { bytes, sha256: hash.digest('hex'), start };
}

/** Errors of the tar parser and of zlib are faults of the bundle; an error of the disk is ours. */
function toRequestError(error: unknown): unknown {
  if (error instanceof RequestError) return error;
  // The body is the only connection here.
  if (propertyOf(error, 'code') === 'ECONNRESET')
    return new RequestError('invalid_request', 'The connection was closed before the bundle was complete.');
  const isBundleFault =
    /^(?:TAR_|Z_|ERR_STREAM_PREMATURE_CLOSE)/.test(propertyOf(error, 'code')) ||
    propertyOf(error, 'name') === 'ZlibError';
  return isBundleFault ? refuseArchive() : error;
}

function propertyOf(error: unknown, name: 'code' | 'name'): string {
  return typeof error === 'object' && error !== null ? String(Reflect.get(error, name)) : '';
}

/**
 * Parses the path of a file in a bundle: relative, without `.` and `..`, in Unicode form NFC, so that a name packed on
 * macOS matches the URL that a browser requests. It is never used as a path on our disk.
 * @throws RequestError `invalid_bundle`
 */
export function parseBundlePath(raw: string): string {
  const path = raw.replace(/^(?:\.\/)+/, '').normalize('NFC');
  const isUnsafe =
    path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..') ||
    // U+FFFD replaces bytes that are not UTF-8.
    /[\u0000-\u001f\u007f\\\ufffd]/.test(path) ||
    path.length > bundleLimits.pathLength;
  if (isUnsafe) throw refusePath(path);
  return path;
}

/** The paths of a bundle: unique, case-sensitive, and limited in number and total length. */
export class BundlePaths {
  readonly #files = new Set<string>();
  #bytes = 0;

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** @throws RequestError `invalid_bundle` */
  addPath(path: string): void {
    this.#bytes += Buffer.byteLength(path);
    if (this.#files.has(path)) throw new RequestError('invalid_bundle', `The bundle contains ${path} twice.`);
    if (this.#files.size >= bundleLimits.files)
      throw new RequestError('invalid_bundle', `The bundle contains more than ${bundleLimits.files} files.`);
    if (this.#bytes > bundleLimits.pathBytes)
      throw new RequestError(
        'invalid_bundle',
        `The paths in the bundle have more than ${bundleLimits.pathBytes} bytes in total.`,
      );
    this.#files.add(path);
  }

  /**
   * Call it after the last `add`. Sorted with the slash before every other character, a path below a file directly follows
   * it. A set of all folders would be much larger: each path can have hundreds.
   * @throws RequestError `invalid_bundle` when a file is a folder of another
   */
  requireNoFolders(): void {
    const sorted = [...this.#files].map((path) => path.replaceAll('/', '\0')).sort();
    const file = sorted.find((path, at) => sorted[at + 1]?.startsWith(`${path}\0`));
    if (file === undefined) return;
    const path = file.replaceAll('\0', '/');
    throw new RequestError('invalid_bundle', `The bundle contains ${path} as a file and as a folder.`);
  }
}
