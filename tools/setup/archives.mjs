/** One file out of an archive in memory, for a machine that may have neither tar nor unzip. */
import { inflateRawSync } from 'node:zlib';

const BLOCK = 512;
/** End of the central directory, an entry of it, by their signatures. */
const DIRECTORY_END = Buffer.from('PK\u0005\u0006', 'latin1');
const DIRECTORY_ENTRY = Buffer.from('PK\u0001\u0002', 'latin1').readUInt32LE();
const DEFLATED = 8;

/** @param {Buffer} tar @param {string} path of at most 100 bytes @returns {Buffer | null} */
export function extractFromTar(tar, path) {
  for (let at = 0; at + BLOCK <= tar.length;) {
    const name = tar.toString('utf8', at, at + 100).split('\0')[0];
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    if (name === path) return tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return null;
}

/** @param {Buffer} zip @param {string} path @returns {Buffer | null} */
export function extractFromZip(zip, path) {
  const end = zip.lastIndexOf(DIRECTORY_END);
  let at = end === -1 ? zip.length : zip.readUInt32LE(end + 16);
  while (at + 46 <= zip.length && zip.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === path) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const content = zip.subarray(start, start + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(content) : content;
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  return null;
}
