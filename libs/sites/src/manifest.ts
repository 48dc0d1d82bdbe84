/**
 * The list of the files of a deployment, with their names, `_redirects` and `_headers` included. Its SHA-256 identifies the
 * files: a list that was read is checked by it. It is stored compressed beside the index, which has no names.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { readWhole, type FileStorage } from '@pets/platform';
import { manifestKey } from './stored-sites.js';

/** A file of a deployment. */
export interface ListedFile {
  /** Relative, with `/`, in NFC, without control characters. */
  readonly path: string;
  /** Hexadecimal, of the content. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface EncodedManifest {
  /** The same for the same paths and contents, in any order. */
  readonly filesHash: string;
  /** For the storage. */
  readonly gzipped: Buffer;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export async function encodeManifest(files: readonly ListedFile[]): Promise<EncodedManifest> {
  const lines = [...files].sort(byPath).map(({ path, sha256, bytes }) => `${path}\0${sha256}\0${bytes}\n`);
  const text = lines.join('');
  return { filesHash: hash('sha256', text), gzipped: await compress(text) };
}

/** The files of a stored manifest, in order of their paths. @throws Error when it is missing or damaged */
export async function readManifest(storage: FileStorage, filesHash: string): Promise<ListedFile[]> {
  const key = manifestKey(filesHash);
  const bytes = await storage.find(key);
  if (bytes === undefined) throw new Error(`there is no manifest ${filesHash} in the storage`);
  const text = await decompress(await readWhole(await storage.read(key), bytes));
  if (hash('sha256', text) !== filesHash) throw new Error(`the manifest ${filesHash} is damaged`);
  return text.toString().split('\n').slice(0, -1).map(parseLine);
}

function parseLine(line: string): ListedFile {
  const [path = '', sha256 = '', bytes = ''] = line.split('\0');
  return { path, sha256, bytes: Number(bytes) };
}

export interface ChangedPaths {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The paths in which two manifests differ, in order. */
export function compareManifests(before: readonly ListedFile[], after: readonly ListedFile[]): ChangedPaths {
  const earlier = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const later = new Set(after.map(({ path }) => path));
  const pathsOf = (files: readonly ListedFile[]) => files.map(({ path }) => path).sort();
  return {
    added: pathsOf(after.filter(({ path }) => !earlier.has(path))),
    changed: pathsOf(after.filter(({ path, sha256 }) => (earlier.get(path) ?? sha256) !== sha256)),
    removed: pathsOf(before.filter(({ path }) => !later.has(path))),
  };
}

function byPath(a: ListedFile, b: ListedFile): number {
  return a.path < b.path ? -1 : 1;
}
