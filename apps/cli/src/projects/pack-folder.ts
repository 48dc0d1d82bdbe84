import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { bundleLimits } from '@pets/contracts';
import { findAppleDoubles, findSecretContent, findSecretPath, isAddedFile, SECRET_START_BYTES } from '@pets/domains';
import { create } from 'tar';
import { CommandFailure, report, usageFailure } from '../outcome/outcome.js';

const MIB = 1024 * 1024;

/** The files of a folder that are deployed. */
export interface CheckedFolder {
  /** Relative paths, in the form that the disk has. */
  readonly paths: readonly string[];
  readonly bytes: number;
  /** Files that operating systems add, which are left out. */
  readonly ignored: readonly string[];
}

/**
 * Checks the rules and limits of the API before anything is sent. Follows links within the folder.
 * @param allowed paths of files that are deployed although they would be refused or left out
 * @throws CommandFailure
 */
export async function checkFolder(folder: string, allowed: ReadonlySet<string>): Promise<CheckedFolder> {
  const isAllowed = (path: string) => allowed.has(path.normalize('NFC'));
  const found: string[] = [];
  for await (const path of listFiles(folder, allowed)) found.push(path);
  const appleDoubles = findAppleDoubles(found);
  const isIgnored = (path: string) => !isAllowed(path) && (isAddedFile(path) || appleDoubles.has(path));
  const paths = found.filter((path) => !isIgnored(path));
  let bytes = 0;
  let pathBytes = 0;
  if (paths.length > bundleLimits.files) throw tooLarge(`more than ${bundleLimits.files} files`);
  for (const path of paths) {
    if (!isAllowed(path)) await requireNoSecret(folder, path);
    bytes += (await stat(join(folder, path))).size;
    pathBytes += Buffer.byteLength(path);
    if (pathBytes > bundleLimits.pathBytes)
      throw tooLarge(`more than ${bundleLimits.pathBytes / MIB} MiB of file paths`);
    if (bytes > bundleLimits.unpackedBytes) throw tooLarge(`more than ${bundleLimits.unpackedBytes / MIB} MiB`);
  }
  if (paths.length === 0)
    throw new CommandFailure(report('refused', 'empty_folder', `${folder} contains no files to deploy.`));
  return { paths, bytes, ignored: found.filter(isIgnored) };
}

/**
 * Packs files of a folder, without owners and times.
 * @returns a gzipped tar
 * @throws CommandFailure when it is too large for one archive
 */
export async function packFiles(folder: string, paths: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const options = {
    ...{ cwd: folder, gzip: true, portable: true, noMtime: true, strict: true, follow: true },
    // A second link to a file would be packed as a hard link.
    linkCache: Object.assign(new Map<`${number}:${number}`, string>(), { get: () => undefined }),
  } as const;
  const chunks: Buffer[] = [];
  let size = 0;
  // tar reads a path that begins with @ as an archive.
  for await (const chunk of create(
    options,
    paths.map((path) => `./${path}`),
  )) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > bundleLimits.compressedBytes)
      throw tooLarge(`more than ${bundleLimits.compressedBytes / MIB} MiB when compressed`);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/**
 * Paths below a folder, through links too. More files than the API could accept end the list, so that a link to a large
 * folder costs little.
 */
async function* listFiles(root: string, allowed: ReadonlySet<string>): AsyncGenerator<string> {
  const realRoot = await realpath(root).catch(unreadable(root));
  let count = 0;
  async function* list(below: string, above: ReadonlySet<string>): AsyncGenerator<string> {
    const entries = await readdir(join(root, below), { withFileTypes: true }).catch(unreadable(join(root, below)));
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (path.length > bundleLimits.pathLength) throw refusedPath(path, 'the path is too long');
      const real = await realpath(join(root, path)).catch(() => null);
      if (real === null) throw refusedPath(path, 'it is a link that leads nowhere');
      if (real !== realRoot && !real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep))
        throw refusedPath(path, 'it is a link that leads out of the folder');
      const target = await stat(real);
      if (target.isDirectory()) {
        if (above.has(real)) throw refusedPath(path, 'it is a link to a folder that contains it');
        const reason = findSecretPath(`${path}/`);
        if (reason !== null && ![...allowed].some((each) => each.startsWith(`${path}/`)))
          throw refuseSecret(path, reason);
        yield* list(path, new Set([...above, real]));
      } else if (target.isFile()) {
        if ((count += 1) > MAX_LISTED) throw tooLarge(`more than ${bundleLimits.files} files`);
        yield path;
      } else throw refusedPath(path, 'it is not a regular file or folder');
    }
  }
  yield* list('', new Set([realRoot]));
}

/** Maximum number of listed files. It allows for attribute files of macOS, which are left out. */
const MAX_LISTED = 2 * bundleLimits.files;

function unreadable(folder: string) {
  return (error: unknown): never => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageFailure('invalid_folder', `${folder} is not a readable folder: ${code}.`);
  };
}

/** The API would refuse it too, but it would be sent. */
async function requireNoSecret(folder: string, path: string): Promise<void> {
  const reason = findSecretPath(path) ?? findSecretContent(await readStart(join(folder, path)));
  if (reason !== null) throw refuseSecret(path, reason);
}

function refuseSecret(path: string, reason: string): CommandFailure {
  const next = 'Deploy a folder without it, or name each file that is meant to be public: --allow PATH.';
  return new CommandFailure(report('refused', 'invalid_bundle', `${path} ${reason}. ${next}`));
}

async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SECRET_START_BYTES), 0, SECRET_START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function refusedPath(path: string, reason: string): CommandFailure {
  return new CommandFailure(report('refused', 'invalid_bundle', `${path} cannot be deployed: ${reason}.`));
}

function tooLarge(excess: string): CommandFailure {
  return new CommandFailure(
    report('refused', 'payload_too_large', `The folder exceeds the limit: it contains ${excess}.`),
  );
}
