/** Decides which files of a bundle are published, by their paths and sizes: of an archive and of a manifest alike. */
import { Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { bundleLimits, listedIgnoredFiles, type IgnoredFiles } from '@pets/contracts';
import { findAppleDoubles, findSecretPath, isAddedFile, mayBeAppleDouble } from '@pets/domains';
import { RequestError } from '@pets/platform';
import { refuseArchive, refusePath, refuseSecret } from './refused-archives.js';

const MIB = 1024 * 1024;

const archiveLimits = {
  /** Unpacked, with the headers and padding of tar. */
  bytes: 240 * MIB,
  /** Text compresses to a tenth, repetitive text to a fiftieth, and a bomb to less than a thousandth. */
  ratio: 200,
  /** The ratio is checked above this size. */
  ratioFromBytes: 10 * MIB,
} as const;

/** RFC 1952 §2.3.1. */
const GZIP = Buffer.from([0x1f, 0x8b]);
/** Gzip and Zstandard. The tar parser would decompress such an archive again, past these limits. */
const compressed: readonly Buffer[] = [GZIP, Buffer.from([0x28, 0xb5, 0x2f, 0xfd])];

/**
 * The transforms from the request body to a plain tar. Each fails as soon as a limit is exceeded, before the rest is
 * unpacked.
 * @param hasEnded whether the archive has ended: later bytes are counted and dropped, since the parser would buffer them
 */
export function openBundle(hasEnded: () => boolean): [Transform, Transform, Transform] {
  let sent = 0;
  let unpacked = 0;
  let isFirst = true;
  const passAll = () => false;
  const countSent = tap(passAll, (chunk) => {
    // An archive of another format is named; what begins with few bytes at a time fails as no archive.
    if (sent === 0 && chunk.length >= GZIP.length && !startsWith(chunk, GZIP)) return refuseArchive(chunk);
    sent += chunk.length;
    return sent > bundleLimits.compressedBytes ? tooLarge('The bundle is larger than 50 MiB.') : null;
  });
  const countUnpacked = tap(hasEnded, (chunk) => {
    unpacked += chunk.length;
    if (isFirst && compressed.some((magic) => startsWith(chunk, magic))) return refuseArchive();
    isFirst = false;
    if (unpacked > archiveLimits.bytes) return tooLarge('The bundle unpacks to more than 200 MiB.');
    if (unpacked > archiveLimits.ratioFromBytes && unpacked > sent * archiveLimits.ratio)
      return new RequestError(
        'invalid_bundle',
        `The bundle unpacks to more than ${archiveLimits.ratio} times its size.`,
      );
    return null;
  });
  return [countSent, createGunzip(), countUnpacked];
}

/** Limits the sum of the sizes that the headers of files declare. */
function limitContents(): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > bundleLimits.unpackedBytes) throw tooLarge('The bundle unpacks to more than 200 MiB.');
  };
}

function startsWith(chunk: Buffer, magic: Buffer): boolean {
  return chunk.subarray(0, magic.length).equals(magic);
}

function tap(drops: () => boolean, check: (chunk: Buffer) => RequestError | null): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const error = check(chunk);
      if (error !== null) done(error);
      else if (drops()) done();
      else done(null, chunk);
    },
  });
}

function tooLarge(message: string): RequestError {
  return new RequestError('payload_too_large', message);
}

/** The files of a bundle, one after another. `libs/domains/src/sites/bundle-files.ts` says what is left out or a secret. */
export class BundleFiles {
  readonly #allowed: ReadonlySet<string>;
  readonly #paths = new BundlePaths();
  /** Only all paths show whether they describe other files. */
  readonly #candidates = new BundlePaths();
  readonly #ignored = new IgnoredList();
  readonly #addContents = limitContents();

  /** @param allowed paths of files that are published although they would be refused or left out */
  constructor(allowed: ReadonlySet<string>) {
    this.#allowed = allowed;
  }

  isAllowed(path: string): boolean {
    return this.#allowed.has(path);
  }

  /**
   * @param raw the path as it was sent
   * @returns the path; null for a file that is left out
   * @throws RequestError `invalid_bundle`, `payload_too_large`
   */
  addFile(raw: string, bytes: number): string | null {
    const path = parseBundlePath(raw);
    const isAllowed = this.isAllowed(path);
    if (isAddedFile(path) && !isAllowed) {
      this.#ignored.addIgnored(path);
      return null;
    }
    const reason = isAllowed ? null : findSecretPath(path);
    if (reason !== null) throw refuseSecret(path, reason);
    (mayBeAppleDouble(path) && !isAllowed ? this.#candidates : this.#paths).addPath(path);
    this.#addContents(bytes);
    return path;
  }

  /**
   * Call it after the last file.
   * @param files those that were not left out
   * @throws RequestError `invalid_bundle`
   */
  finish<File extends { readonly path: string }>(
    files: readonly File[],
  ): { readonly files: readonly File[]; readonly ignored: IgnoredFiles } {
    const appleDoubles = findAppleDoubles(files.map(({ path }) => path));
    const kept = files.filter(({ path }) => this.isAllowed(path) || !appleDoubles.has(path));
    for (const { path } of kept) if (this.#candidates.has(path)) this.#paths.addPath(path);
    this.#paths.requireNoFolders();
    for (const { path } of files) if (!this.#paths.has(path)) this.#ignored.addIgnored(path);
    if (kept.length === 0) throw new RequestError('invalid_bundle', 'The bundle contains no files.');
    return { files: kept, ignored: this.#ignored };
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
    !path.isWellFormed() ||
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
