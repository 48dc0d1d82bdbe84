import { Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { refuseArchive } from './refused-archives.js';

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
export function limitContents(): (bytes: number) => void {
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
