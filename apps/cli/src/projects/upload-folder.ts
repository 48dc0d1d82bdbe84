import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { retry } from '@pets/async';
import type { CreatedDeployment, DeploymentUpload } from '@pets/contracts';
import { isTransient, type Api } from '../api/api.js';
import { packFiles, type CheckedFolder } from './pack-folder.js';

/** A folder to upload. */
export interface FolderUpload {
  readonly projectId: string;
  readonly folder: string;
  readonly files: CheckedFolder;
  readonly query: Readonly<Record<string, string>>;
}

export interface UploadedFolder {
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
