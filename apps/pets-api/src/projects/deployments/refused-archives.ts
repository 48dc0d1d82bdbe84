/** Says why an archive or one of its entries cannot be deployed, and how to pack it instead. */
import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { ReadEntry } from 'tar';

const LINKS = 'Pack the files that links lead to: tar -h --hard-dereference, or pets deploy.';
const PACK = 'Deploy the folder with pets deploy, or pack it: tar -czhf site.tar.gz -C FOLDER .';
const HOLES = 'Pack it as an ordinary file: leave out -S with GNU tar, add --no-read-sparse with bsdtar.';

/** Descriptions of entries, by the type that the parser names. */
const entries: Readonly<Record<string, string>> = {
  SymbolicLink: `a symbolic link. ${LINKS}`,
  Link: `a hard link. ${LINKS}`,
  SparseFile: `packed as a sparse file. ${HOLES}`,
  ContinuationFile: 'a part of a file. Pack all of it into one archive: leave out -M.',
  GNUDumpDir: 'a folder of an incremental backup. Pack all files: leave out --listed-incremental.',
  TapeVolumeHeader: 'the label of a volume. Leave out --label.',
  Unsupported: 'of an unknown type. Only regular files are supported',
};

/** The refusal of an entry that is neither a folder nor a regular file. */
export function refuseEntry({ type, path, meta }: Pick<ReadEntry, 'type' | 'path' | 'meta'>): RequestError {
  const what = meta ? 'a header that is too large' : (entries[type] ?? `a ${type}. Only regular files are supported`);
  return invalidBundle(`${path.slice(0, 500)} is ${what.replace(/\.?$/, '.')}`);
}

/**
 * The name of the file that a PAX header says to have holes; null if it says nothing of them. Versions 0.0, 0.1 and 1.0 of
 * the format store contents without the holes.
 */
export function sparseNameIn(header: string): string | null {
  if (!/(?:^|\n)\d{1,8} GNU\.sparse\./.test(header)) return null;
  return /\n?\d{1,8} (?:GNU\.sparse\.name|path)=([^\n]{1,500})/.exec(header)?.[1] ?? 'A file';
}

/** The refusal of a file whose contents are stored without its holes. */
export function refuseSparse(path: string): RequestError {
  return refuseEntry({ type: 'SparseFile', path, meta: false });
}

/** The refusal of a path that no file of a site has, with what to do. @param path without `./` before it */
export function refusePath(path: string): RequestError {
  return invalidBundle(`The path ${JSON.stringify(path.slice(0, 100))} ${faultOfPath(path)}`);
}

function faultOfPath(path: string): string {
  if (path.startsWith('/')) return `is absolute. ${PACK}`;
  // U+FFFD replaces bytes that are not UTF-8.
  if (path.includes('\ufffd')) return 'is not in UTF-8. Rename the file, or pack it where file names are UTF-8.';
  if (path.length > bundleLimits.pathLength) return `has more than ${bundleLimits.pathLength} characters.`;
  return `is not allowed: it has an empty part, a part of dots, a backslash or a control character. ${PACK}`;
}

/** @param reason the end of a sentence about the file */
export function refuseSecret(path: string, reason: string): RequestError {
  return invalidBundle(
    `${path} ${reason}. Leave it out of the archive, or add ?allow=${encodeURI(path)} to publish it (pets deploy: --allow).`,
  );
}

/** Archives of other formats, by the bytes that they begin with. */
const formats: readonly (readonly [name: string, at: number, magic: Buffer])[] = [
  ['a zip archive', 0, Buffer.from('PK\u0003\u0004')],
  ['a zip archive', 0, Buffer.from('PK\u0005\u0006')],
  ['a 7z archive', 0, Buffer.from("7z\u00bc\u00af'\u001c", 'latin1')],
  ['compressed with xz', 0, Buffer.from('\u00fd7zXZ', 'latin1')],
  ['compressed with bzip2', 0, Buffer.from('BZh')],
  ['compressed with Zstandard', 0, Buffer.from('(\u00b5/\u00fd', 'latin1')],
  ['a RAR archive', 0, Buffer.from('Rar!')],
  ['a tar archive that is not compressed', 257, Buffer.from('ustar')],
];

/** @param start the beginning of what should be a gzipped tar */
export function refuseArchive(start: Buffer = Buffer.alloc(0)): RequestError {
  const [format] = formats.find(([, at, magic]) => start.subarray(at, at + magic.length).equals(magic)) ?? [];
  const found =
    format === undefined ? 'The body is not a gzipped tar archive' : `The body is ${format}, not a gzipped tar`;
  return invalidBundle(`${found}. ${PACK}`);
}

export function invalidBundle(message: string): RequestError {
  return new RequestError('invalid_bundle', message);
}
