import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { afterMs, FairSemaphore } from '@pets/async';
import { setupLogoLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** An image that may be decoded: nothing but the parts that its pixels need. */
interface LogoFile {
  readonly format: 'png' | 'webp';
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** A reason to refuse an image, for whoever has sent it. */
class LogoFault extends Error {}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Chunks without which there are no pixels. All others are left out, so that nothing of them is unpacked. */
const pngChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** Beginnings of files that people take for a logo, and what they are. */
const otherFormats: readonly (readonly [beginning: RegExp, name: string])[] = [
  [/^GIF8/, 'a GIF'],
  [/^\xff\xd8\xff/, 'a JPEG'],
  [/^....ftypavi[fs]/s, 'an AVIF'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:\?xml|svg|!doctype svg|!--)/i, 'an SVG'],
];

/**
 * Reads how large an image is, without decoding anything: a few bytes can stand for gigabytes of pixels.
 * @throws LogoFault
 */
export function readLogo(file: Uint8Array): LogoFile {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const beginning = bytes.subarray(0, 64).toString('latin1');
  if (bytes.subarray(0, 8).equals(pngSignature)) return readPng(bytes);
  if (/^RIFF....WEBP/s.test(beginning)) return readWebp(bytes);
  const other = otherFormats.find(([pattern]) => pattern.test(beginning))?.[1];
  throw new LogoFault(`The file is ${other ?? 'no image that we know'}. Send a PNG or a WebP.`);
}

function readPng(bytes: Buffer): LogoFile {
  const damaged = () => new LogoFault('The PNG is damaged.');
  const parts: Buffer[] = [pngSignature];
  const types: string[] = [];
  for (let at = pngSignature.length; types.at(-1) !== 'IEND';) {
    if (at + 12 > bytes.length) throw damaged();
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw damaged();
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) throw damaged();
    if (type === 'acTL') throw animated('PNG');
    if (pngChunks.has(type)) parts.push(bytes.subarray(at, end));
    types.push(type);
    at = end;
  }
  const [, header] = parts;
  if (types[0] !== 'IHDR' || header?.length !== 25) throw damaged();
  const [width, height] = [header.readUInt32BE(8), header.readUInt32BE(12)];
  return limited({ format: 'png', width, height, bytes: Buffer.concat(parts) });
}

/** RFC 9649. */
function readWebp(bytes: Buffer): LogoFile {
  const damaged = () => new LogoFault('The WebP is damaged.');
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw damaged();
  const file = bytes.subarray(0, end);
  const sizes: (readonly [width: number, height: number])[] = [];
  for (let at = 12; at + 8 <= end;) {
    const type = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const content = file.subarray(at + 8, at + 8 + length);
    if (content.length < length) throw damaged();
    if (type === 'ANIM' || type === 'ANMF') throw animated('WebP');
    if (type === 'VP8X' && length >= 10) sizes.push([1 + content.readUIntLE(4, 3), 1 + content.readUIntLE(7, 3)]);
    if (type === 'VP8 ' && length >= 10)
      sizes.push([content.readUInt16LE(6) & 0x3fff, content.readUInt16LE(8) & 0x3fff]);
    if (type === 'VP8L' && length >= 5) {
      const bits = content.readUInt32LE(1);
      sizes.push([1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)]);
    }
    at += 8 + length + (length % 2);
  }
  const [size] = sizes;
  // The canvas and the image in it have the same size, unless somebody wants to mislead one of their readers.
  if (size === undefined || sizes.some(([width, height]) => width !== size[0] || height !== size[1])) throw damaged();
  return limited({ format: 'webp', width: size[0], height: size[1], bytes: file });
}

function limited(file: LogoFile): LogoFile {
  const { width, height } = file;
  const { pixels } = setupLogoLimits;
  if (width === 0 || height === 0) throw new LogoFault('The image is empty.');
  if (width <= pixels && height <= pixels) return file;
  throw new LogoFault(
    `The image has ${width} × ${height} pixels. Send one of at most ${pixels} × ${pixels}; it is shown 40 pixels high.`,
  );
}

function animated(format: string): LogoFault {
  return new LogoFault(`The ${format} is animated. Send one that stands still.`);
}

/** Data of the thread. */
export interface LogoJob extends LogoFile {
  readonly maxBytes: number;
}

/** Message of the thread. */
export type WrittenLogo = { readonly bytes: Uint8Array } | { readonly fault: 'damaged' | 'too_large' };

/** A logo as we have written it, in WebP. */
interface Logo {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The largest image takes 0.3 seconds. */
const LIMIT_MS = 10_000;
const HEAP_MIB = 64;

const faults = {
  damaged: 'The image is damaged.',
  too_large: `The image has too many details for ${setupLogoLimits.bytes / 1024} KiB. Send a smaller one.`,
} as const;

/**
 * Decodes images of strangers and writes them again: what is served is our own file, without anything that the pixels do not
 * need. Each in a thread of its own, which WebAssembly keeps to its memory and which leaves nothing for the next one; one at a
 * time, and organizations take turns.
 */
export class LogoWriter {
  // As many wait as requests of their organizations are under way, which is limited.
  readonly #turns = new FairSemaphore({ limit: 1 });

  /** @throws RequestError `invalid_logo`, `unavailable` */
  async write(file: Uint8Array, organizationId: string): Promise<Logo> {
    const checked = check(file);
    const release = await this.#turns.acquire('thread', organizationId, afterMs(LIMIT_MS));
    if (release === null)
      throw new RequestError('unavailable', 'Too many images are uploaded at the moment.', { 'retry-after': '10' });
    try {
      const written = await run({ ...checked, maxBytes: setupLogoLimits.bytes });
      if ('fault' in written) throw new RequestError('invalid_logo', faults[written.fault]);
      return { bytes: written.bytes, width: checked.width, height: checked.height };
    } finally {
      release();
    }
  }
}

function check(file: Uint8Array): LogoFile {
  try {
    return readLogo(file);
  } catch (error) {
    throw error instanceof LogoFault ? new RequestError('invalid_logo', error.message) : error;
  }
}

async function run(job: LogoJob): Promise<WrittenLogo> {
  // Tests run the sources, whose file extension differs from that of the compiled files.
  const { pathname } = new URL(import.meta.url);
  const file = new URL(`./logo-thread${extname(pathname)}`, import.meta.url);
  const thread = new Worker(file, { workerData: job, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  thread.unref();
  const answer = Promise.withResolvers<WrittenLogo>();
  const timer = setTimeout(() => answer.resolve({ fault: 'damaged' }), LIMIT_MS);
  thread.once('message', answer.resolve);
  thread.once('error', (error: NodeJS.ErrnoException) => {
    // What an image does to its decoder is not our fault.
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') answer.resolve({ fault: 'damaged' });
    else answer.reject(error);
  });
  thread.once('exit', () => answer.reject(new Error('the thread of a logo has ended')));
  try {
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
