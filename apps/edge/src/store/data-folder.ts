import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { edgeSessionAckSchema } from '@pets/contracts/edge-feed';
import { replaceFile } from './durable-file.js';
import { readIfPresent } from './table-files.js';

/** Raised when the files of the folder change so that this build cannot read those of before. */
const FORMAT = 1;

/** Has the number of the format, and is the first file in a folder. */
const MARKER = 'format';

/** Files that a new folder may have: the root of a file system does, and a first start that was interrupted. */
const IGNORED = /^lost\+found$|^format\..*\.tmp$/;

/** The folder of the edge is not one that this build can use. The message is for the operator. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/**
 * Makes the folder of an edge (`EDGE_DATA_DIR`) if need be. Call it before anything else uses the folder.
 * @throws DataFolderError when it has files of another format; then nothing in it has changed
 */
export async function openDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const marker = join(folder, MARKER);
  const format = (await readIfPresent(marker))?.trim();
  if (format === String(FORMAT)) return;
  if (format !== undefined)
    throw unusable(folder, `has format ${JSON.stringify(format)}, and this edge reads ${FORMAT}`);
  const isNew = (await readdir(folder)).every((name) => IGNORED.test(name));
  if (!isNew) throw unusable(folder, 'was written by a version before 1.0');
  await replaceFile(marker, `${FORMAT}\n`);
}

function unusable(folder: string, reason: string): DataFolderError {
  const remedy = 'move it away or set another folder; the edge gets its routes from pets-api';
  return new DataFolderError(`EDGE_DATA_DIR ${folder}: ${reason}; ${remedy}`);
}

/** Returns the lasting id of the edge with this folder; makes one if need be. */
export async function openEdgeId(folder: string): Promise<string> {
  const path = join(folder, 'edge-id');
  const known = edgeSessionAckSchema.shape.edgeId.safeParse((await readIfPresent(path))?.trim());
  if (known.success) return known.data;
  const edgeId = randomUUID();
  await replaceFile(path, `${edgeId}\n`);
  return edgeId;
}
