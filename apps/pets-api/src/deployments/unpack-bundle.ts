import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '@pets/platform';
import { Parser, type ReadEntry } from 'tar';

export const bundleLimits = {
  /** As sent. */
  compressedBytes: 50 * 1024 * 1024,
  unpackedBytes: 200 * 1024 * 1024,
  files: 10_000,
  pathLength: 512,
} as const;

export interface UnpackedFile {
  /** Relative, with `/`, no `.` or `..`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Unpacks a gzipped tar into a folder, taking nothing but plain files at safe paths.
 * @throws DomainError `invalid_bundle` or `payload_too_large`; the folder may then hold a part
 */
export async function unpackBundle(bundle: Readable, folder: string): Promise<UnpackedFile[]> {
  const paths = new PathSet();
  let unpacked = 0;
  const abort = new AbortController();

  const take = async (entry: ReadEntry): Promise<UnpackedFile | null> => {
    if (entry.type === 'Directory') {
      entry.resume();
      return null;
    }
    const path = safePath(entry);
    paths.add(path);
    unpacked += entry.size;
    if (unpacked > bundleLimits.unpackedBytes)
      throw new DomainError('payload_too_large', 'The bundle unpacks to more than 200 MiB.');
    return { path, ...(await writeFile(entry, join(folder, path), abort.signal)) };
  };

  const taken: Promise<UnpackedFile | null>[] = [];
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      // Entries that the parser still holds when the bundle breaks off would come after the folder is gone.
      if (abort.signal.aborted) return void entry.resume();
      const one = take(entry);
      taken.push(one);
      one.catch((error: unknown) => {
        entry.resume();
        abort.abort(error);
      });
    },
  });
  try {
    await pipeline(bundle, limitBytes(), parser as unknown as NodeJS.WritableStream, { signal: abort.signal });
    const files = (await Promise.all(taken)).filter((file) => file !== null);
    if (files.length === 0) throw new DomainError('invalid_bundle', 'The bundle holds no file.');
    return files;
  } catch (error) {
    // Ends the file that was being written when the bundle broke off.
    abort.abort(error);
    await Promise.allSettled(taken);
    throw asRefusal(abort.signal.reason);
  }
}

/** The files so far: each path once, none of them a folder of another, and not too many. */
class PathSet {
  private readonly files = new Set<string>();
  private readonly folders = new Set<string>();

  add(path: string): void {
    const parents = path
      .split('/')
      .map((_step, i, steps) => steps.slice(0, i).join('/'))
      .slice(1);
    if (this.files.has(path)) throw new DomainError('invalid_bundle', `The bundle holds ${path} twice.`);
    if (this.folders.has(path) || parents.some((parent) => this.files.has(parent))) {
      throw new DomainError('invalid_bundle', `The bundle holds ${path} as a file and as a folder.`);
    }
    if (this.files.size >= bundleLimits.files) {
      throw new DomainError('invalid_bundle', `The bundle holds more than ${bundleLimits.files} files.`);
    }
    this.files.add(path);
    for (const parent of parents) this.folders.add(parent);
  }
}

/** The same paths and contents give the same hash, in whatever order they were packed. */
export function hashContents(files: readonly UnpackedFile[]): string {
  const hash = createHash('sha256');
  for (const { path, sha256 } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(`${path}\0${sha256}\n`);
  return hash.digest('hex');
}

function safePath({ type, path: raw }: ReadEntry): string {
  if (type !== 'File' && type !== 'OldFile')
    throw new DomainError('invalid_bundle', `${raw} is a ${type}; only plain files are taken.`);
  const path = raw.replace(/^(?:\.\/)+/, '');
  const steps = path.split('/');
  const isUnsafe =
    steps.some((step) => step === '' || step === '.' || step === '..') ||
    /[\\\0]/.test(path) ||
    path.length > bundleLimits.pathLength;
  if (isUnsafe)
    throw new DomainError('invalid_bundle', `The path ${JSON.stringify(raw.slice(0, 100))} is not allowed.`);
  return path;
}

async function writeFile(
  entry: ReadEntry,
  target: string,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  await mkdir(dirname(target), { recursive: true });
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

function limitBytes(): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bundleLimits.compressedBytes)
        done(new DomainError('payload_too_large', 'The bundle is larger than 50 MiB.'));
      else done(null, chunk);
    },
  });
}

/** What the tar parser and zlib complain about is the bundle's fault; trouble with the disk is ours. */
function asRefusal(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isBundleFault =
    /^(?:TAR_|Z_|ERR_STREAM_PREMATURE_CLOSE)/.test(code) || (error instanceof Error && error.name === 'ZlibError');
  return isBundleFault ? new DomainError('invalid_bundle', 'The body is not a gzipped tar archive.') : error;
}
