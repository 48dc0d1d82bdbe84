import { forEachConcurrent } from '@pets/async';
import type { FileStorage } from '@pets/platform';
import { contentKey, type ListedFile } from '@pets/sites';
import type { WantedObject } from './bundles.repository.js';
import type { UnpackedFile } from './unpack-bundle.js';

/** Concurrent writes, since each to a remote bucket is slow. */
const CONCURRENT_WRITES = 16;

/** The stored objects of files: those with the same content are one. */
export function contentsOf(files: readonly ListedFile[]): WantedObject[] {
  const contents = new Map(files.map(({ sha256, bytes }) => [contentKey(sha256), bytes]));
  return [...contents].map(([key, bytes]) => ({ key, bytes }));
}

/** Writes registered contents, but for those that are stored already, for this deployment or another. */
export async function writeContents(storage: FileStorage, files: readonly UnpackedFile[]): Promise<void> {
  const contents = new Map(files.map((file) => [file.sha256, file])).values();
  await forEachConcurrent(contents, CONCURRENT_WRITES, async ({ sha256, bytes, unpackedAt }) => {
    const key = contentKey(sha256);
    if ((await storage.find(key)) !== bytes) await storage.copyFromFs(unpackedAt, key);
  });
}
