import { openFolderStorage } from './file-storage-folder.js';
import type { FileStorage } from './file-storage.js';

/**
 * Opens a local folder (`file:///…`) or a bucket (`s3://…`, see `openBucketStorage`), whose client is loaded only then.
 * @throws Error for any other URL
 */
export async function openFileStorage(url: string): Promise<FileStorage> {
  if (url.startsWith('file://')) return openFolderStorage(url);
  if (!url.startsWith('s3://')) throw new Error(`STORAGE_URL must be a file:// or s3:// URL, not ${url}`);
  const { openBucketStorage } = await import('./file-storage-bucket.js');
  return openBucketStorage(url);
}
