import { Inject, Injectable } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { FileStorage, Logger } from '@pets/platform';
import { LOG, STORAGE } from '../../platform/providers.js';
import { DELETION_LIMIT_MS, StoredObjectsRepository } from './stored-objects.repository.js';

const CONCURRENT_DELETIONS = 16;

/** Files in the storage that no bundle has. */
@Injectable()
export class IdleObjects {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly objects: StoredObjectsRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Marks files, deletes them from the storage, then their rows. @returns how many, at most `batch` */
  async delete(batch: number): Promise<number> {
    // Starts before the files are marked, so that it ends long before their lease.
    const signal = AbortSignal.timeout(DELETION_LIMIT_MS);
    const { objects, markedAt } = await this.objects.markIdle(batch);
    const deleted: bigint[] = [];
    try {
      await forEachConcurrent(objects, CONCURRENT_DELETIONS, async ({ id, key }) => {
        signal.throwIfAborted();
        await this.storage.delete(key, signal);
        deleted.push(id);
      });
    } finally {
      await this.objects.forget(deleted, markedAt);
      if (deleted.length > 0) this.log.info({ files: deleted.length }, 'stored files deleted');
    }
    return objects.length;
  }
}
