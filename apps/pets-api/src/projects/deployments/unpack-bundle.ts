import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { Parser, type ReadEntry } from 'tar';
import { BundlePaths, parseBundlePath } from './bundle-paths.js';
import { limitContents, openBundle } from './limit-bundle.js';
import { requireProgress, type Progress } from '../../http/require-progress.js';
import type { SpaceReservation } from './upload-space.js';

export interface UploadLimits {
  readonly progress: Progress;
  /** The caller releases it after it has deleted the folder. */
  readonly space: Pick<SpaceReservation, 'add'>;
}

export interface UnpackedFile {
  /** Relative, with `/`, no `.` or `..`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The path of its content. Files are numbered, so that no name in a bundle becomes a path on our disk. */
  readonly unpackedAt: string;
}

/** Folders take no space on the disk, but time. */
const MAX_ENTRIES = 2 * bundleLimits.files;

/**
 * Unpacks a gzipped tar into a folder. Accepts only regular files at safe paths, and enforces the limits while streaming.
 * @throws RequestError `invalid_bundle`, `payload_too_large`, `timeout` or `unavailable`, `invalid_request` when the client has
 * left; the folder may then hold a part
 */
export async function unpackBundle(bundle: Readable, folder: string, upload: UploadLimits): Promise<UnpackedFile[]> {
  const paths = new BundlePaths();
  const addContents = limitContents();
  const abort = new AbortController();

  const unpack = async (entry: ReadEntry, number: number): Promise<UnpackedFile | null> => {
    if (number >= MAX_ENTRIES)
      throw new RequestError('invalid_bundle', `The bundle contains more than ${MAX_ENTRIES} files and folders.`);
    if (entry.type === 'Directory') {
      entry.resume();
      return null;
    }
    if (entry.type !== 'File' && entry.type !== 'OldFile')
      throw new RequestError('invalid_bundle', `${entry.path} is a ${entry.type}; only regular files are supported.`);
    const path = parseBundlePath(entry.path);
    paths.add(path);
    addContents(entry.size);
    upload.space.add(entry.size);
    const unpackedAt = join(folder, String(number));
    return { path, unpackedAt, ...(await writeFile(entry, unpackedAt, abort.signal)) };
  };

  const unpacked: Promise<UnpackedFile | null>[] = [];
  let hasEnded = false;
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      // The parser may emit entries after an error, when the folder is deleted already.
      if (abort.signal.aborted) return void entry.resume();
      const one = unpack(entry, unpacked.length);
      unpacked.push(one);
      one.catch((error: unknown) => {
        entry.resume();
        abort.abort(error);
      });
    },
  });
  try {
    const target = parser as unknown as NodeJS.WritableStream; // tar's own stream class, compatible with Node's
    parser.on('eof', () => (hasEnded = true));
    const [countSent, gunzip, countUnpacked] = openBundle(() => hasEnded);
    const body = (chunks: AsyncIterable<Buffer>) => requireProgress(chunks, upload.progress);
    await pipeline(bundle, body, countSent, gunzip, countUnpacked, target, { signal: abort.signal });
    const files = (await Promise.all(unpacked)).filter((file) => file !== null);
    paths.requireNoFolders();
    if (files.length === 0) throw new RequestError('invalid_bundle', 'The bundle contains no files.');
    return files;
  } catch (error) {
    // Ends the file that is being written.
    abort.abort(error);
    await Promise.allSettled(unpacked);
    throw toRequestError(abort.signal.reason);
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
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    entry as unknown as NodeJS.ReadableStream,
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    }),
    createWriteStream(target),
    { signal },
  );
  return { bytes, sha256: hash.digest('hex') };
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
  return isBundleFault ? new RequestError('invalid_bundle', 'The body is not a gzipped tar archive.') : error;
}

function propertyOf(error: unknown, name: 'code' | 'name'): string {
  return typeof error === 'object' && error !== null ? String(Reflect.get(error, name)) : '';
}
