import { describe, expect, it } from '@jest/globals';
import { pngChunk, pngOf, webpChunk, webpOf, webps } from '@pets/testing';
import { readLogo } from './logo-writer.js';

const line = Buffer.from([0, 1, 2, 3, 255]);
const png = pngOf({ lines: line });
const text = pngChunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'));
const canvas = (width: number, height: number, flags = 0) => {
  const content = Buffer.alloc(10);
  content[0] = flags;
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', content);
};
const image = webps.lossless.subarray(12);

describe('an image', () => {
  it.each([
    ['a PNG', pngOf({ width: 300, height: 80, lines: line }), { format: 'png', width: 300, height: 80 }],
    [
      'the largest PNG',
      pngOf({ width: 1024, height: 1024, lines: line }),
      { format: 'png', width: 1024, height: 1024 },
    ],
    ['a lossless WebP', webps.lossless, { format: 'webp', width: 12, height: 4 }],
    ['a lossy WebP', webps.lossy, { format: 'webp', width: 12, height: 4 }],
    ['a lossy WebP with alpha', webps.withAlpha, { format: 'webp', width: 12, height: 4 }],
  ])('is %s, with its size', (_case, file, expected) => expect(readLogo(file)).toMatchObject(expected));

  it.each([
    ['a comment', pngOf({ lines: line, chunks: [text] })],
    ['an EXIF block', pngOf({ lines: line, chunks: [pngChunk('eXIf', Buffer.from('II*\0GPS'))] })],
    ['a colour profile', pngOf({ lines: line, chunks: [pngChunk('iCCP', Buffer.alloc(200))] })],
    ['a page behind it', Buffer.concat([png, Buffer.from('<html><script>alert(1)</script>')])],
  ])('is decoded without %s', (_case, file) => expect(Buffer.from(readLogo(file).bytes)).toEqual(png));

  it('is decoded without what is behind a WebP', () => {
    const file = Buffer.concat([webps.lossless, Buffer.from('<html>')]);
    expect(Buffer.from(readLogo(file).bytes)).toEqual(webps.lossless);
  });

  it.each([
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0'), 'The file is a GIF. Send a PNG or a WebP.'],
    ['JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'The file is a JPEG. Send a PNG or a WebP.'],
    ['AVIF', Buffer.from('\0\0\0\x1cftypavif'), 'The file is an AVIF. Send a PNG or a WebP.'],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'The file is an SVG. Send a PNG or a WebP.'],
    ['XML', Buffer.from('\ufeff<?xml version="1.0"?><svg/>'), 'The file is an SVG. Send a PNG or a WebP.'],
    ['text', Buffer.from('hello'), 'The file is no image that we know. Send a PNG or a WebP.'],
    ['nothing', Buffer.alloc(0), 'The file is no image that we know. Send a PNG or a WebP.'],
    ['a bomb', pngOf({ width: 60_000, height: 60_000, lines: line }), 'The image has 60000 × 60000 pixels'],
    ['a wide PNG', pngOf({ width: 1025, height: 1, lines: line }), 'at most 1024 × 1024'],
    ['an empty PNG', pngOf({ width: 0, height: 5, lines: line }), 'The image is empty.'],
    ['a bomb in WebP', webpOf(canvas(16_384, 16_384)), 'The image has 16384 × 16384 pixels'],
    ['an animated PNG', pngOf({ lines: line, chunks: [pngChunk('acTL', Buffer.alloc(8))] }), 'The PNG is animated.'],
    ['an animated WebP', webpOf(canvas(12, 4, 2), webpChunk('ANIM', Buffer.alloc(6))), 'The WebP is animated.'],
    ['a PNG without an end', png.subarray(0, -12), 'The PNG is damaged.'],
    ['half a PNG', png.subarray(0, 40), 'The PNG is damaged.'],
    ['a signature', png.subarray(0, 8), 'The PNG is damaged.'],
    [
      'a PNG that does not begin with its header',
      Buffer.concat([png.subarray(0, 8), text, png.subarray(8)]),
      'damaged',
    ],
    ['a PNG with a wrong check sum', flipped(png, png.length - 14), 'The PNG is damaged.'],
    ['a PNG with another size than it was made with', flipped(png, 19), 'The PNG is damaged.'],
    ['half a WebP', webps.lossy.subarray(0, 40), 'The WebP is damaged.'],
    ['a WebP whose canvas has another size', webpOf(canvas(1, 1), image), 'The WebP is damaged.'],
    ['a WebP without an image', webpOf(), 'The WebP is damaged.'],
  ])('is not %s', (_case, file, message) => expect(() => readLogo(file)).toThrow(message));
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
