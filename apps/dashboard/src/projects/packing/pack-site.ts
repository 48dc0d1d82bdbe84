/** Packs the files of a site in the browser as the gzipped tar archive that the API takes. */

/** A file of a site: its path is relative, with `/`. */
export interface SiteFile {
  readonly path: string;
  readonly content: Blob;
}

/** The reason why files cannot be packed, as a sentence for people. */
export class PackingError extends Error {}

/** The limits of the API, checked before anything is packed. */
export const packingLimits = { files: 10_000, bytes: 200 * 1024 * 1024 } as const;

const BLOCK = 512;
const NAME_BYTES = 100;
const encoder = new TextEncoder();

/** @throws PackingError */
export async function packSite(files: readonly SiteFile[]): Promise<Blob> {
  if (files.length === 0) throw new PackingError('There are no files in it.');
  if (files.length > packingLimits.files)
    throw new PackingError(`It has more than ${packingLimits.files} files. Choose the folder that your build wrote.`);
  const bytes = files.reduce((sum, { content }) => sum + content.size, 0);
  if (bytes > packingLimits.bytes)
    throw new PackingError('It is larger than 200 MiB. Choose the folder that your build wrote.');
  const parts = [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).flatMap(entryOf);
  const tar = new Blob([...parts, new Uint8Array(2 * BLOCK)]);
  const packed = await new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob();
  return new Blob([packed], { type: 'application/gzip' });
}

/** Removes the folder that all files are in, as archives and chosen folders have one. */
export function withoutCommonFolder(files: readonly SiteFile[]): readonly SiteFile[] {
  const [first] = files;
  const folder = first?.path.slice(0, first.path.indexOf('/') + 1) ?? '';
  if (folder === '' || !files.every(({ path }) => path.startsWith(folder))) return files;
  return files.map(({ path, content }) => ({ path: path.slice(folder.length), content }));
}

/** The blocks of a file, after those of its path where a header has no room for it (POSIX.1-2001, pax). */
function entryOf({ path, content }: SiteFile): BlobPart[] {
  const name = encoder.encode(path);
  const isPlain = name.length <= NAME_BYTES && /^[\x20-\x7e]+$/.test(path);
  const record = isPlain ? [] : paxRecord(path);
  const shown = isPlain ? name : encoder.encode('file');
  return [...record, header(shown, content.size, '0'), content, padding(content.size)];
}

function paxRecord(path: string): BlobPart[] {
  const rest = encoder.encode(` path=${path}\n`).length;
  // The length of a record counts its own digits.
  let length = rest + 1;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  const record = encoder.encode(`${length} path=${path}\n`);
  return [header(encoder.encode('pax'), record.length, 'x'), record, padding(record.length)];
}

function padding(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((BLOCK - (bytes % BLOCK)) % BLOCK);
}

/** A header of ustar (POSIX.1-1988), always the same for the same file. */
function header(name: Uint8Array, bytes: number, type: '0' | 'x'): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const write = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.set(name, 0);
  write(100, `${octal(0o644, 7)}\0`);
  write(108, `${octal(0, 7)}\0`);
  write(116, `${octal(0, 7)}\0`);
  write(124, `${octal(bytes, 11)}\0`);
  write(136, `${octal(0, 11)}\0`);
  write(148, ' '.repeat(8));
  write(156, type);
  write(257, 'ustar\u000000');
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(148, `${octal(sum, 6)}\0 `);
  return block;
}
