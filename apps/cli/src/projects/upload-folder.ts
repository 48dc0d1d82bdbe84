import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { retry } from '@pets/async';
import { bundleLimits, type CreatedDeployment, type DeploymentUpload } from '@pets/contracts';
import { findAppleDoubles, findSecretContent, findSecretPath, isAddedFile, SECRET_START_BYTES } from '@pets/domains';
import { create } from 'tar';
import { isTransient, type Api } from '../api/api.js';
import { CommandFailure, report, usageFailure } from '../outcome/outcome.js';

const MIB = 1024 * 1024;

/** The files of a folder that are deployed. */
interface CheckedFolder {
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

/** A folder to upload. */
interface FolderUpload {
  readonly projectId: string;
  readonly folder: string;
  readonly files: CheckedFolder;
  readonly query: Readonly<Record<string, string>>;
}

interface UploadedFolder {
  readonly deployment: CreatedDeployment;
  /** Files that the project did not have, and the bytes of all requests. */
  readonly sent: { readonly files: number; readonly bytes: number };
}

/** Contents of an archive. Below the limit of the API also where nothing can be compressed. */
const ARCHIVE_BYTES = 32 * 1024 * 1024;

const compress = promisify(gzip);

/**
 * Deploys a folder: lists its files, and sends those that the project lacks.
 * @param onLacking called before they are sent, with their number
 * @throws CommandFailure
 */
export async function uploadFolder(
  api: Api,
  { projectId, folder, files, query }: FolderUpload,
  onLacking: (count: number) => void,
): Promise<UploadedFolder> {
  const sizes = new Map<string, number>();
  const lines: string[] = [];
  for (const path of files.paths) {
    const { sha256, bytes } = await hashFile(join(folder, path));
    sizes.set(path, bytes);
    lines.push(JSON.stringify({ path: path.normalize('NFC'), sha256, bytes }));
  }
  const manifest = new Uint8Array(await compress(lines.join('\n')));
  const upload: DeploymentUpload = await repeated(() =>
    api.data(
      api.http.POST('/v1/projects/{projectId}/uploads', {
        params: { path: { projectId }, query },
        headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
        body: new Blob([manifest]),
      }),
    ),
  );
  onLacking(upload.lacking.length);
  // The API names paths in NFC; a disk may have another form.
  const lacking = new Set(upload.lacking);
  const wanted = files.paths.filter((path) => lacking.has(path.normalize('NFC')));
  const path = { projectId, uploadId: upload.id };
  let sentBytes = manifest.length;
  for (const part of partsOf(wanted, sizes)) {
    const archive = await packFiles(folder, part);
    sentBytes += archive.length;
    await repeated(() =>
      api.data(
        api.http.POST('/v1/projects/{projectId}/uploads/{uploadId}/files', {
          params: { path },
          headers: { 'content-type': 'application/gzip' },
          body: new Blob([archive]),
        }),
      ),
    );
  }
  const params = { path, header: { 'Idempotency-Key': randomUUID() } };
  const deployment: CreatedDeployment = await repeated(() =>
    api.data(api.http.POST('/v1/projects/{projectId}/uploads/{uploadId}/deployment', { params })),
  );
  return { deployment, sent: { files: wanted.length, bytes: sentBytes } };
}

const ATTEMPTS = 3;
const RETRY_MS = 1_000;

/** Each step of an upload may be repeated. */
function repeated<Data>(send: () => Promise<Data>): Promise<Data> {
  return retry(send, {
    nextDelayMs: (failures, error) =>
      failures < ATTEMPTS && isTransient(error) ? Math.max(error.retryAfterMs, RETRY_MS) : null,
  });
}

/** Files of one archive each. */
function partsOf(paths: readonly string[], sizes: ReadonlyMap<string, number>): string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const path of paths) {
    const bytes = sizes.get(path) ?? 0;
    if (bytes > room || parts.length === 0) {
      parts.push([]);
      room = ARCHIVE_BYTES;
    }
    parts.at(-1)?.push(path);
    room -= bytes;
  }
  return parts;
}

async function hashFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const { size } = await stat(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { sha256: hash.digest('hex'), bytes: size };
}
