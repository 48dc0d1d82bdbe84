import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { WriteOptions } from 'flydrive/types';
import { causeOf, sizeOf } from './file-storage-faults.js';
import type { FileStorage } from './file-storage.js';

/** A path below a file, or longer than any file's, is not there. */
const absent: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/** Files in a local folder. */
export function openFolderStorage(url: string): FileStorage {
  const root = fileURLToPath(url);
  const disk = new Disk(new RenamingDriver(root));
  return {
    find: (key) => sizeOf(disk, key, (error) => absent.includes(causeOf(error, 'code'))),
    async read(key, span): Promise<Readable> {
      // Opened first, so that a missing file is a refusal and not a stream that breaks off.
      const file = await open(join(root, key));
      return file.createReadStream(span === undefined ? {} : { start: span.first, end: span.last });
    },
    write: (key, content) => disk.put(key, content),
    copyFromFs: (path, key) => disk.copyFromFs(path, key),
  };
}

/** Writes beside the file and renames, so that nobody reads a part, and two who write the same do not mix. */
class RenamingDriver extends FSDriver {
  constructor(private readonly root: string) {
    super({ location: root, visibility: 'private' });
  }

  override put(key: string, contents: string | Uint8Array, options?: WriteOptions): Promise<void> {
    return this.renaming(key, (temporary) => super.put(temporary, contents, options));
  }

  override putStream(key: string, contents: Readable, options?: WriteOptions): Promise<void> {
    return this.renaming(key, (temporary) => super.putStream(temporary, contents, options));
  }

  private async renaming(key: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const temporary = `${key}.${randomUUID()}.tmp`;
    try {
      await write(temporary);
      await rename(join(this.root, temporary), join(this.root, key));
    } catch (error) {
      await rm(join(this.root, temporary), { force: true });
      throw error;
    }
  }
}
