import { PackingError, packingLimits, type SiteFile } from './pack-site.js';

/** Reads zip archives (PKWARE APPNOTE 6.3.10), as operating systems make them of a folder: stored or deflated, without a password. */

const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Marks a number that only a zip64 record has. */
const ELSEWHERE = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly path: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localHeader: number;
}

/** @throws PackingError */
export async function unzip(archive: Blob): Promise<readonly SiteFile[]> {
  const entries = (await readEntries(archive)).filter(
    ({ path }) => path !== '' && !path.endsWith('/') && !path.startsWith('__MACOSX/'),
  );
  if (entries.reduce((sum, { bytes }) => sum + bytes, 0) > packingLimits.bytes)
    throw new PackingError('It unpacks to more than 200 MiB. Choose the folder that your build wrote.');
  const files: SiteFile[] = [];
  for (const entry of entries) files.push({ path: entry.path, content: await unpack(archive, entry) });
  return files;
}

async function readEntries(archive: Blob): Promise<readonly Entry[]> {
  const tailStart = Math.max(0, archive.size - END_BYTES - MAX_COMMENT);
  const tail = await viewOf(archive, tailStart, archive.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw damaged();
  const count = tail.getUint16(end + 10, true);
  const [bytes, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  if (count === 0xffff || start === ELSEWHERE)
    throw new PackingError('It is too large for a zip archive of this kind.');
  const directory = await viewOf(archive, start, start + bytes);
  const entries: Entry[] = [];
  for (let at = 0; entries.length < count;) {
    if (at + ENTRY_BYTES > directory.byteLength || directory.getUint32(at, true) !== 0x02014b50) throw damaged();
    const [flags, nameBytes] = [directory.getUint16(at + 8, true), directory.getUint16(at + 28, true)];
    if ((flags & 1) !== 0) throw new PackingError('It has a password.');
    const next = at + ENTRY_BYTES + nameBytes + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    if (next > directory.byteLength) throw damaged();
    const name = new Uint8Array(directory.buffer, directory.byteOffset + at + ENTRY_BYTES, nameBytes);
    entries.push({
      path: decodeName(name)
        .replaceAll('\\', '/')
        .replace(/^(?:\.\/)+/, ''),
      method: directory.getUint16(at + 10, true),
      packedBytes: directory.getUint32(at + 20, true),
      bytes: directory.getUint32(at + 24, true),
      localHeader: directory.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

async function unpack(archive: Blob, { path, method, packedBytes, bytes, localHeader }: Entry): Promise<Blob> {
  if (method !== STORED && method !== DEFLATED)
    throw new PackingError(`${path} is packed in a way that is not supported.`);
  const local = await viewOf(archive, localHeader, localHeader + LOCAL_BYTES);
  if (local.byteLength < LOCAL_BYTES || local.getUint32(0, true) !== 0x04034b50) throw damaged();
  const start = localHeader + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true);
  const packed = archive.slice(start, start + packedBytes);
  const content = method === STORED ? packed : await inflate(packed, bytes);
  if (content.size !== bytes) throw damaged();
  return content;
}

/** Stops at the size that the directory names: what is larger is damaged, or was made to fill the memory. */
async function inflate(packed: Blob, bytes: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let seen = 0;
  try {
    const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      seen += part.value.length;
      if (seen > bytes) {
        await reader.cancel();
        break;
      }
      chunks.push(part.value);
    }
  } catch {
    throw damaged();
  }
  if (seen !== bytes) throw damaged();
  return new Blob(chunks);
}

async function viewOf(archive: Blob, start: number, end: number): Promise<DataView> {
  return new DataView(await archive.slice(start, end).arrayBuffer());
}

/** In UTF-8 whatever the flag says: macOS does not set it. Other names come from old programs, in the alphabet of their country. */
function decodeName(name: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(name);
  } catch {
    return new TextDecoder('windows-1252').decode(name);
  }
}

function damaged(): PackingError {
  return new PackingError('It is not a complete zip archive.');
}
