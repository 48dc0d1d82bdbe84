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
import { requireProgress, type Progress } from './require-progress.js';
import type { SpaceReservation } from './upload-space.js';

export interface UploadLimits {
  readonly progress: Progress;
  /** Released by the caller, when the folder is gone. */
  readonly space: Pick<SpaceReservation, 'add'>;
}

export interface UnpackedFile {
  /** Relative, with `/`, no `.` or `..`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Where its content lies: files are numbered, so that no name out of a bundle becomes one on our disk. */
  readonly unpackedAt: string;
}

/** A folder costs nothing on the disk, but time. */
const MAX_ENTRIES = 2 * bundleLimits.files;

/**
 * Unpacks a gzipped tar into a folder, taking nothing but plain files at safe paths. Limits are kept while it streams.
 * @throws RequestError `invalid_bundle`, `payload_too_large`, `timeout` or `unavailable`, `invalid_request` when the client has
 * left; the folder may then hold a part
 */
export async function unpackBundle(bundle: Readable, folder: string, upload: UploadLimits): Promise<UnpackedFile[]> {
  const paths = new BundlePaths();
  const addContents = limitContents();
  const abort = new AbortController();

  const take = async (entry: ReadEntry, number: number): Promise<UnpackedFile | null> => {
    if (number >= MAX_ENTRIES)
      throw new RequestError('invalid_bundle', `The bundle holds more than ${MAX_ENTRIES} files and folders.`);
    if (entry.type === 'Directory') {
      entry.resume();
      return null;
    }
    if (entry.type !== 'File' && entry.type !== 'OldFile')
      throw new RequestError('invalid_bundle', `${entry.path} is a ${entry.type}; only plain files are taken.`);
    const path = parseBundlePath(entry.path);
    paths.add(path);
    addContents(entry.size);
    upload.space.add(entry.size);
    const unpackedAt = join(folder, String(number));
    return { path, unpackedAt, ...(await writeFile(entry, unpackedAt, abort.signal)) };
  };

  const taken: Promise<UnpackedFile | null>[] = [];
  let hasEnded = false;
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      // Entries that the parser still holds when the bundle breaks off would come after the folder is gone.
      if (abort.signal.aborted) return void entry.resume();
      const one = take(entry, taken.length);
      taken.push(one);
      one.catch((error: unknown) => {
        entry.resume();
        abort.abort(error);
      });
    },
  });
  try {
    const target = parser as unknown as NodeJS.WritableStream; // a stream of tar's own, close enough to Node's
    parser.on('eof', () => (hasEnded = true));
    const [countSent, gunzip, countUnpacked] = openBundle(() => hasEnded);
    const body = (chunks: AsyncIterable<Buffer>) => requireProgress(chunks, upload.progress);
    await pipeline(bundle, body, countSent, gunzip, countUnpacked, target, { signal: abort.signal });
    const files = (await Promise.all(taken)).filter((file) => file !== null);
    paths.requireNoFolders();
    if (files.length === 0) throw new RequestError('invalid_bundle', 'The bundle holds no file.');
    return files;
  } catch (error) {
    // Ends the file that was being written when the bundle broke off.
    abort.abort(error);
    await Promise.allSettled(taken);
    throw asRefusal(abort.signal.reason);
  }
}

/** The same paths and contents give the same hash, in whatever order they were packed. */
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

/** What the tar parser and zlib complain about is the bundle's fault; an error of the disk is ours. */
function asRefusal(error: unknown): unknown {
  if (error instanceof RequestError) return error;
  // Nothing here has a connection but the body.
  if (propertyOf(error, 'code') === 'ECONNRESET')
    return new RequestError('invalid_request', 'The client left before the bundle was complete.');
  const isBundleFault =
    /^(?:TAR_|Z_|ERR_STREAM_PREMATURE_CLOSE)/.test(propertyOf(error, 'code')) ||
    propertyOf(error, 'name') === 'ZlibError';
  return isBundleFault ? new RequestError('invalid_bundle', 'The body is not a gzipped tar archive.') : error;
}

function propertyOf(error: unknown, name: 'code' | 'name'): string {
  return typeof error === 'object' && error !== null ? String(Reflect.get(error, name)) : '';
}
