import { crc32 } from 'node:zlib';

/**
 * The format of a cached file: its content in blocks, each after a checksum. The checksum covers the key, the position and
 * whether the block is the last one, so neither a truncated file nor a block of another file passes, and a range is checked
 * without reading the rest.
 */

/** One slice of a response (`SLICE_BYTES`), so that a slow client does not make the edge read more than it sends. */
export const BLOCK_BYTES = 16 * 1024;

const CHECKSUM_BYTES = 4;
const STORED_BLOCK_BYTES = BLOCK_BYTES + CHECKSUM_BYTES;

/** The bytes of a file with content of this length. */
function storedLength(contentBytes: number): number {
  return contentBytes + blocksOf(contentBytes) * CHECKSUM_BYTES;
}

/** The length of the content of a file with this length. */
export function contentLength(storedBytes: number): number {
  return storedBytes - Math.ceil(storedBytes / STORED_BLOCK_BYTES) * CHECKSUM_BYTES;
}

/** The part of a file with the blocks of a range. */
export function storedSpan(from: number, bytes: number, contentBytes: number): { position: number; length: number } {
  const first = Math.floor(from / BLOCK_BYTES);
  const end = Math.ceil((from + bytes) / BLOCK_BYTES);
  const position = first * STORED_BLOCK_BYTES;
  return { position, length: Math.min(end * STORED_BLOCK_BYTES, storedLength(contentBytes)) - position };
}

/** A block of content with its checksum before it. @param index from 0 */
export function encodeBlock(key: string, index: number, isLast: boolean, content: Buffer): readonly [Buffer, Buffer] {
  const checksum = Buffer.allocUnsafe(CHECKSUM_BYTES);
  checksum.writeUInt32LE(checksumOf(key, index, isLast, content));
  return [checksum, content];
}

export function encodeBlocks(key: string, content: Buffer): Buffer {
  const blocks: Buffer[] = [];
  const last = blocksOf(content.length) - 1;
  for (let index = 0; index <= last; index++) {
    const block = content.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES);
    blocks.push(...encodeBlock(key, index, index === last, block));
  }
  return Buffer.concat(blocks);
}

/**
 * The content of the blocks of a range, without copying.
 * @param stored the part of the file that `storedSpan` names
 * @returns undefined when a checksum does not match
 */
export function decodeBlocks(
  key: string,
  stored: Buffer,
  { from, bytes, contentBytes }: { readonly from: number; readonly bytes: number; readonly contentBytes: number },
): Buffer[] | undefined {
  const first = Math.floor(from / BLOCK_BYTES);
  const last = blocksOf(contentBytes) - 1;
  const chunks: Buffer[] = [];
  for (let at = 0, index = first; at < stored.length; at += STORED_BLOCK_BYTES, index++) {
    const block = stored.subarray(at + CHECKSUM_BYTES, at + STORED_BLOCK_BYTES);
    if (block.length === 0) return undefined;
    if (stored.readUInt32LE(at) !== checksumOf(key, index, index === last, block)) return undefined;
    const start = index * BLOCK_BYTES;
    chunks.push(block.subarray(Math.max(from - start, 0), Math.min(from + bytes - start, block.length)));
  }
  return chunks.length === 0 ? undefined : chunks;
}

function blocksOf(contentBytes: number): number {
  return Math.ceil(contentBytes / BLOCK_BYTES);
}

function checksumOf(key: string, index: number, isLast: boolean, block: Buffer): number {
  return crc32(block, crc32(`${isLast ? 'last' : 'block'} ${index} ${key}`));
}
