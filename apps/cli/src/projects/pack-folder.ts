import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleLimits } from '@pets/contracts';
import { create } from 'tar';
import { CommandFailure, report, usageFailure } from '../outcome/outcome.js';

const MIB = 1024 * 1024;

/** Dotfiles (`.env`, `.git`) may be private. This folder is public. */
const PUBLIC_DOT_FOLDER = '.well-known';

export interface Bundle {
  readonly gzippedTar: Uint8Array<ArrayBuffer>;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Packs the files of a folder in the order of their names and without owners and times, so that the same files give the
 * same bytes. Checks the limits of the API before anything is sent.
 * @throws CommandFailure
 */
export async function packFolder(folder: string): Promise<Bundle> {
  const paths: string[] = [];
  let bytes = 0;
  let pathBytes = 0;
  for await (const file of listFiles(folder, '')) {
    paths.push(file.path);
    bytes += file.bytes;
    pathBytes += Buffer.byteLength(file.path);
    if (paths.length > bundleLimits.files) throw tooLarge(`more than ${bundleLimits.files} files`);
    if (pathBytes > bundleLimits.pathBytes)
      throw tooLarge(`more than ${bundleLimits.pathBytes / MIB} MiB of file paths`);
    if (bytes > bundleLimits.unpackedBytes) throw tooLarge(`more than ${bundleLimits.unpackedBytes / MIB} MiB`);
  }
  if (paths.length === 0)
    throw new CommandFailure(report('refused', 'empty_folder', `${folder} contains no files to deploy.`));
  const options = { cwd: folder, gzip: true, portable: true, noMtime: true, strict: true } as const;
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
  return { gzippedTar: new Uint8Array(Buffer.concat(chunks)), files: paths.length, bytes };
}

async function* listFiles(root: string, below: string): AsyncGenerator<{ path: string; bytes: number }> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageFailure('invalid_folder', `${join(root, below)} is not a readable folder: ${code}.`);
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') && entry.name !== PUBLIC_DOT_FOLDER) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      yield* listFiles(root, path);
    } else if (entry.isFile()) {
      if (path.length > bundleLimits.pathLength) throw refusedPath(path, 'the path is too long');
      yield { path, bytes: (await stat(join(root, path))).size };
    } else {
      // A link could publish files outside the folder.
      throw refusedPath(path, 'it is not a regular file or folder, and links are not followed');
    }
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
