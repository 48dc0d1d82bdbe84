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

/**
 * Where a deployment's file is kept. Content-addressed: the same files are stored once. The storage takes few
 * characters in its keys and changes some it takes, so every other one is written as `!` and its hexadecimal bytes:
 * no two paths share a key, and no path leaves its deployment.
 */
export function deploymentFileKey(contentHash: string, path: string): string {
  return `${contentHash}/${path.replaceAll(/[^A-Za-z0-9_./-]|\.(?=\/|$)/gu, encodeCharacter)}`;
}

function encodeCharacter(character: string): string {
  return [...Buffer.from(character)].map((byte) => `!${byte.toString(16).padStart(2, '0')}`).join('');
}
