import { Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';

const MIB = 1024 * 1024;

const archiveLimits = {
  /** Unpacked: the files, and what tar writes around each. */
  bytes: 240 * MIB,
  /** Text shrinks to a tenth, and repetitive text to a fiftieth; a bomb to less than a thousandth. */
  ratio: 200,
  /** Up to here the ratio does not matter. */
  ratioFromBytes: 10 * MIB,
} as const;

/** What nobody would pack twice: gzip and Zstandard, by their first bytes. The tar parser would unpack them again. */
const packed: readonly Buffer[] = [Buffer.from([0x1f, 0x8b]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd])];

/**
 * The steps from what is sent to a plain tar; each gives up as soon as a limit is passed, before the rest is unpacked.
 * @param hasEnded whether the archive is over: what follows is counted and dropped, since the parser would heap it up
 */
export function openBundle(hasEnded: () => boolean): [Transform, Transform, Transform] {
  let [sent, unpacked, isFirst] = [0, 0, true];
  const passAll = () => false;
  const countSent = tap(passAll, (chunk) => {
    sent += chunk.length;
    return sent > bundleLimits.compressedBytes ? tooLarge('The bundle is larger than 50 MiB.') : null;
  });
  const countUnpacked = tap(hasEnded, (chunk) => {
    unpacked += chunk.length;
    if (isFirst && packed.some((magic) => chunk.subarray(0, magic.length).equals(magic)))
      return new RequestError('invalid_bundle', 'The body is not a gzipped tar archive.');
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

/** Counts what files say they hold. */
export function limitContents(): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > bundleLimits.unpackedBytes) throw tooLarge('The bundle unpacks to more than 200 MiB.');
  };
}

function tap(drops: () => boolean, judge: (chunk: Buffer) => RequestError | null): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const fault = judge(chunk);
      if (fault !== null) done(fault);
      else if (drops()) done();
      else done(null, chunk);
    },
  });
}

function tooLarge(message: string): RequestError {
  return new RequestError('payload_too_large', message);
}
