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
  const files = new Map<string, UnpackedFile>();
  let unpacked = 0;
  // Entries come one after the other: the parser holds the next one back until this one is consumed.
  const pending: Promise<void>[] = [];
  const abort = new AbortController();

  const take = async (entry: ReadEntry): Promise<void> => {
    if (entry.type === 'Directory') return void entry.resume();
    const path = safePath(entry);
    if (files.has(path)) throw new DomainError('invalid_bundle', `The bundle holds ${path} twice.`);
    if (files.size >= bundleLimits.files)
      throw new DomainError('invalid_bundle', `The bundle holds more than ${bundleLimits.files} files.`);
    unpacked += entry.size;
    if (unpacked > bundleLimits.unpackedBytes)
      throw new DomainError('payload_too_large', 'The bundle unpacks to more than 200 MiB.');
    files.set(path, { path, ...(await writeFile(entry, join(folder, path))) });
  };

  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      pending.push(
        take(entry).catch((error: unknown) => {
          entry.resume();
          abort.abort(error);
        }),
      );
    },
  });
  try {
    await pipeline(bundle, limitBytes(), parser as unknown as NodeJS.WritableStream, { signal: abort.signal });
    await Promise.all(pending);
    abort.signal.throwIfAborted();
  } catch (error) {
    await Promise.allSettled(pending);
    throw asRefusal(abort.signal.aborted ? abort.signal.reason : error);
  }
  if (files.size === 0) throw new DomainError('invalid_bundle', 'The bundle holds no file.');
  return [...files.values()];
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

async function writeFile(entry: ReadEntry, target: string): Promise<{ bytes: number; sha256: string }> {
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
  if (/^(?:ENOTDIR|EISDIR|EEXIST)$/.test(code))
    return new DomainError('invalid_bundle', 'A path of the bundle is a file and a folder at once.');
  const isBundleFault =
    /^(?:TAR_|Z_|ERR_STREAM_PREMATURE_CLOSE)/.test(code) || (error instanceof Error && error.name === 'ZlibError');
  return isBundleFault ? new DomainError('invalid_bundle', 'The body is not a gzipped tar archive.') : error;
}
