import { addAbortSignal } from 'node:stream';
import { edgeSnapshotManifestSchema } from '@pets/contracts';
import { readWhole, type FileStorage } from '@pets/platform';
import { sha256 } from '../../platform/sha256.js';
import { manifestKey } from './snapshot-keys.js';
import type { Snapshot } from './snapshots.repository.js';

const READ_LIMIT_MS = 30_000;

interface ExpectedFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Whether the storage has every file of a snapshot as it was written. Reads all of them, with one in memory at a time.
 * @throws Error when the storage does not answer, which says nothing about the snapshot
 */
export async function isIntact(snapshot: Snapshot, storage: FileStorage, signal: AbortSignal): Promise<boolean> {
  const { manifestBytes: bytes, manifestSha256 } = snapshot;
  const file = { key: manifestKey(snapshot), bytes, sha256: manifestSha256 };
  const manifest = await readIntact(file, storage, signal);
  if (manifest === undefined) return false;
  // The hash shows that this is what a build has written.
  const { chunks } = edgeSnapshotManifestSchema.parse(JSON.parse(manifest.toString()));
  for (const chunk of chunks) {
    if ((await readIntact(chunk, storage, signal)) === undefined) return false;
  }
  return true;
}

/** @returns undefined when it is absent or has other content */
async function readIntact(file: ExpectedFile, storage: FileStorage, signal: AbortSignal): Promise<Buffer | undefined> {
  signal.throwIfAborted();
  if ((await storage.find(file.key)) !== file.bytes) return undefined;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(READ_LIMIT_MS)]);
  const content = await readWhole(addAbortSignal(limited, await storage.read(file.key)), file.bytes);
  return sha256(content).toString('hex') === file.sha256 ? content : undefined;
}
