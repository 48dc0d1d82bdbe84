import { fileURLToPath } from 'node:url';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';

export type FileStorage = Disk;

/**
 * Opens the storage of deployed files. Only a local folder (`file:///…`) for now.
 * @throws Error for a URL of another kind
 */
export function openFileStorage(url: string): FileStorage {
  if (!url.startsWith('file://')) throw new Error(`STORAGE_URL must be a file:// URL, not ${url}`);
  return new Disk(new FSDriver({ location: fileURLToPath(url), visibility: 'public' }));
}

/** Where a deployment's file is kept. Content-addressed: the same files are stored once. */
export function deploymentFileKey(contentHash: string, path: string): string {
  return `${contentHash}/${path}`;
}
