import { describe, expect, it } from '@jest/globals';
import { BodySlices, FileSlices, nextPieceBytes, type FileSource, type SliceSource } from './plan-reply.js';

const KIB = 1_024;
const content = Buffer.from(Array.from({ length: 1_000 * KIB }, (_, at) => at % 251));

async function drain(source: SliceSource): Promise<Buffer[]> {
  const slices: Buffer[] = [];
  for (let slice = await source.next(16 * KIB); slice !== undefined; slice = await source.next(16 * KIB))
    slices.push(slice);
  return slices;
}

it.each([0, 1, 16 * KIB, 16 * KIB + 1, 100_000])('a body of %d bytes in memory comes in slices', async (bytes) => {
  const slices = await drain(new BodySlices(content.subarray(0, bytes)));
  expect(Buffer.concat(slices).equals(content.subarray(0, bytes))).toBe(true);
  expect(slices.every(({ length }) => length > 0 && length <= 16 * KIB)).toBe(true);
});

describe('a file', () => {
  const open = (from: number, bytes: number, read: FileSource['read'], isMemoryTight = () => false) =>
    new FileSlices(content.subarray(from, from + Math.min(bytes, 16 * KIB)), { from, bytes, read, isMemoryTight });

  it.each([
    [0, 1_000 * KIB],
    [0, 16 * KIB],
    [5, 1],
    [7, 16 * KIB + 1],
    [123, 700_000],
  ])('from %d on, %d bytes, comes in slices; each piece is read when the one before is gone', async (from, bytes) => {
    const pieces: number[] = [];
    let taken = 0;
    const source = open(from, bytes, async (at, count) => {
      expect(at).toBe(from + taken);
      pieces.push(count);
      const half = at + Math.floor(count / 2);
      return [content.subarray(at, half), content.subarray(half, at + count)].filter(({ length }) => length > 0);
    });
    const slices: Buffer[] = [];
    for (let slice = await source.next(16 * KIB); slice !== undefined; slice = await source.next(16 * KIB)) {
      expect(slice.length).toBeLessThanOrEqual(16 * KIB);
      expect(source.heldBytes).toBeLessThanOrEqual(256 * KIB);
      taken += slice.length;
      slices.push(slice);
    }
    expect(Buffer.concat(slices).equals(content.subarray(from, from + bytes))).toBe(true);
    expect(pieces.reduce((sum, piece) => sum + piece, 0)).toBe(Math.max(0, bytes - 16 * KIB));
  });

  it('that cannot be read further is broken off', async () => {
    const source = open(0, 100_000, () => Promise.reject(new Error('the storage is away')));
    await source.next(16 * KIB);
    await expect(source.next(16 * KIB)).rejects.toThrow('the storage is away');
  });
});

it.each([
  ['after the first slice', [16, 1, false], 32],
  ['after one that was taken quickly', [64, 10, false], 128],
  ['not beyond the most', [256, 10, false], 256],
  ['after one that was taken slowly', [256, 5_000, false], 16],
  ['while memory is short', [256, 10, true], 16],
] as const)('pieces: %s', (_name, [previous, tookMs, isTight], expected) => {
  expect(nextPieceBytes(previous * KIB, tookMs, isTight)).toBe(expected * KIB);
});
