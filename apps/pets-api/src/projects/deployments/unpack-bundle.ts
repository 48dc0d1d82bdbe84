import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { forEachConcurrent } from '@pets/async';
import { bundleLimits, type IgnoredFiles } from '@pets/contracts';
import { findSecretContent, SECRET_START_BYTES } from '@pets/domains';
import { RequestError, type FileStorage } from '@pets/platform';
import { contentKey, type ListedFile } from '@pets/sites';
import { Parser, type ReadEntry } from 'tar';
import { requireProgress, type Progress } from '../../http/require-progress.js';
import { BundleFiles, openBundle } from './bundle-files.js';
import type { WantedObject } from './bundles.repository.js';
import { refuseArchive, refuseEntry, refuseSecret, refuseSparse, sparseNameIn } from './refused-archives.js';
import type { SiteFile } from './site-index.service.js';
import type { SpaceReservation } from './upload-slots.js';

export interface UploadLimits {
  readonly progress: Progress;
  /** The caller releases it after it has deleted the folder. */
  readonly space: Pick<SpaceReservation, 'addBytes'>;
  /** Files that are published although they would be refused or left out, by their paths. */
  readonly allowed?: ReadonlySet<string>;
  /** Refuses a file by throwing: before its content is read, and again with its hash. */
  readonly accept?: (file: Pick<UnpackedFile, 'path' | 'bytes'> & { readonly sha256?: string }) => void;
}

export interface UnpackedFile extends SiteFile {
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
 * What is left out or refused: `bundle-files.ts`.
 * @throws RequestError `invalid_bundle`, `payload_too_large`, `timeout` or `unavailable`, `invalid_request` when the client has
 * left; the folder may then hold a part
 */
export async function unpackBundle(archive: Readable, folder: string, upload: UploadLimits): Promise<UnpackedBundle> {
  const bundle = new BundleFiles(upload.allowed ?? new Set());
  const abort = new AbortController();

  const unpack = async (entry: ReadEntry, number: number): Promise<UnpackedFile | null> => {
    if (number >= MAX_ENTRIES)
      throw new RequestError('invalid_bundle', `The bundle contains more than ${MAX_ENTRIES} files and folders.`);
    if (entry.type === 'Directory') {
      entry.resume();
      return null;
    }
    if (entry.type !== 'File' && entry.type !== 'OldFile') throw refuseEntry(entry);
    const path = bundle.addFile(entry.path, entry.size);
    if (path === null) {
      entry.resume();
      return null;
    }
    upload.accept?.({ path, bytes: entry.size });
    upload.space.addBytes(entry.size);
    const unpackedAt = join(folder, String(number));
    const { start, ...written } = await writeFile(entry, unpackedAt, abort.signal);
    upload.accept?.({ path, ...written });
    const secret = findSecretContent(start);
    if (secret !== null && !bundle.isAllowed(path)) throw refuseSecret(path, secret);
    return { path, unpackedAt, ...written, isSecret: secret !== null };
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
    await pipeline(archive, body, countSent, gunzip, countUnpacked, target, { signal: abort.signal });
    return bundle.finish((await Promise.all(unpacked)).filter((file) => file !== null));
  } catch (error) {
    // Ends the file that is being written.
    abort.abort(error);
    await Promise.allSettled(unpacked);
    throw toRequestError(abort.signal.reason);
  }
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

/** Concurrent writes, since each to a remote bucket is slow. */
const CONCURRENT_WRITES = 16;

/** The stored objects of files: those with the same content are one. */
export function contentsOf(files: readonly ListedFile[]): WantedObject[] {
  const contents = new Map(files.map(({ sha256, bytes }) => [contentKey(sha256), bytes]));
  return [...contents].map(([key, bytes]) => ({ key, bytes }));
}

/** Writes registered contents, but for those that are stored already, for this deployment or another. */
export async function writeContents(storage: FileStorage, files: readonly UnpackedFile[]): Promise<void> {
  const contents = new Map(files.map((file) => [file.sha256, file])).values();
  await forEachConcurrent(contents, CONCURRENT_WRITES, async ({ sha256, bytes, unpackedAt }) => {
    const key = contentKey(sha256);
    if ((await storage.find(key)) !== bytes) await storage.copyFromFs(unpackedAt, key);
  });
}
