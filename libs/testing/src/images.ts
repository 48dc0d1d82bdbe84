import { crc32, deflateSync } from 'node:zlib';

interface PngOptions {
  readonly width?: number;
  readonly height?: number;
  /** Bits of a sample. */
  readonly depth?: 1 | 8 | 16;
  /** Colour type: 0 grey, 2 RGB, 3 palette, 6 RGB with alpha. */
  readonly colors?: 0 | 2 | 3 | 6;
  readonly isInterlaced?: boolean;
  /** Scan lines with their filters, before they are compressed. */
  readonly lines: Uint8Array;
  /** Chunks before those of the pixels. */
  readonly chunks?: readonly Uint8Array[];
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A PNG of the given parts, valid or not. */
export function pngOf({ width = 1, height = 1, depth = 8, colors = 6, ...rest }: PngOptions): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colors, 0, 0, rest.isInterlaced === true ? 1 : 0], 8);
  const pixels = pngChunk('IDAT', deflateSync(rest.lines));
  const end = pngChunk('IEND', Buffer.alloc(0));
  return Buffer.concat([signature, pngChunk('IHDR', header), ...(rest.chunks ?? []), pixels, end]);
}

/** A chunk with its length and check sum. */
export function pngChunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** A PNG of one colour. */
export function plainPng(
  width: number,
  height: number,
  [red, green, blue]: readonly [number, number, number],
): Uint8Array<ArrayBuffer> {
  const line = [0, ...Array.from({ length: width }, () => [red, green, blue, 255]).flat()];
  return Uint8Array.from(pngOf({ width, height, lines: Buffer.concat(Array(height).fill(Buffer.from(line))) }));
}

/** WebPs of 12 × 4 pixels. */
export const webps = {
  lossless: Buffer.from(
    'UklGRkAAAABXRUJQVlA4TDQAAAAvC8AAEJkyRPQ/NhEF739AUdtGTPjjKqab7wVh/gdQQFDk/2hCggSTV6D6BmQ8Dghg6Q0A',
    'base64',
  ),
  lossy: Buffer.from(
    'UklGRkQAAABXRUJQVlA4IDgAAADQAQCdASoMAAQAAsBMJbACdAEO/Fg1gADeUazuSCFG6hU2Df+Tv9nJlm/MH77/c5Ms32nDPQAAAA==',
    'base64',
  ),
  withAlpha: Buffer.from(
    'UklGRooAAABXRUJQVlA4WAoAAAAQAAAACwAAAwAAQUxQSBMAAAABDzD/ERFCIJAQ5G8y4RAR/Y8cAFZQOCBQAAAAsAEAnQEqDAAEAAFAJiWwAnQA3Rhd' +
      '7ADeUjaQVQifoR/LJZXdIOzwRiQYlkZirzQzEIWUWH2P/Ti1/ub/9Nn+6//qKRv+zf/iA7fwtXuAAAA=',
    'base64',
  ),
} as const;

/** A WebP of chunks, valid or not. */
export function webpOf(...chunks: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return Buffer.concat([webpChunk('RIFF', content)]);
}

export function webpChunk(type: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}
