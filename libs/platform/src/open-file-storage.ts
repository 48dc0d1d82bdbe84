import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { WriteOptions } from 'flydrive/types';
import { causeOf, sizeOf, type FileStorage } from './file-storage.js';

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

/** A path below a file, and one that is too long, does not exist. */
const absent: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/** The folder of incomplete files, on the same disk, so that renaming is atomic. */
const UNFINISHED = 'unfinished';

/** Files in a local folder. */
function openFolderStorage(url: string): FileStorage {
  const root = fileURLToPath(url);
  const driver = new RenamingDriver(root);
  const disk = new Disk(driver);
  return {
    find: (key) => sizeOf(disk, key, (error) => absent.includes(causeOf(error, 'code'))),
    async read(key, span): Promise<Readable> {
      // Opened first, so that a missing file rejects instead of breaking the stream.
      const file = await open(join(root, key));
      return file.createReadStream(span === undefined ? {} : { start: span.first, end: span.last });
    },
    write: (key, content, signal) => driver.writeUnlessAborted(key, content, signal),
    copyFromFs: (path, key) => disk.copyFromFs(path, key),
    async delete(key, signal) {
      signal.throwIfAborted();
      await rm(join(root, key), { force: true });
    },
    deleteAbandoned: (before) => deleteOlder(join(root, UNFINISHED), before),
  };
}

/** Writes to a temporary file and renames it, so that readers never see a part, and concurrent writes do not mix. */
class RenamingDriver extends FSDriver {
  readonly #root: string;

  constructor(root: string) {
    super({ location: root, visibility: 'private' });
    this.#root = root;
  }

  /** Survives a power loss, since the database may refer to the file from then on. */
  async writeUnlessAborted(key: string, contents: string | Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    await this.#writeAndRename(key, async (temporary) => {
      await mkdir(join(this.#root, UNFINISHED), { recursive: true });
      await using file = await open(join(this.#root, temporary), 'w');
      await file.writeFile(contents);
      await file.sync();
      signal?.throwIfAborted();
    });
    await using folder = await open(dirname(join(this.#root, key)));
    await folder.sync();
  }

  override putStream(key: string, contents: Readable, options?: WriteOptions): Promise<void> {
    return this.#writeAndRename(key, (temporary) => super.putStream(temporary, contents, options));
  }

  async #writeAndRename(key: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const temporary = `${UNFINISHED}/${randomUUID()}`;
    try {
      await write(temporary);
      await mkdir(dirname(join(this.#root, key)), { recursive: true });
      await rename(join(this.#root, temporary), join(this.#root, key));
    } catch (error) {
      await rm(join(this.#root, temporary), { force: true });
      throw error;
    }
  }
}

async function deleteOlder(folder: string, before: Date): Promise<number> {
  let deleted = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const changedAt = await stat(path).then(
      ({ mtime }) => mtime,
      () => undefined,
    );
    if (changedAt === undefined || changedAt >= before) continue;
    await rm(path, { force: true });
    deleted += 1;
  }
  return deleted;
}
